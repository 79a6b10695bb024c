import { nothing, svg, type SVGTemplateResult } from 'lit';
import type { BodyForm } from './bodies.ts';
import { mirrored } from './drawBody.ts';
import type { Traits } from './traits.ts';

type Drawn = SVGTemplateResult | typeof nothing;

export function drawHat(form: BodyForm, hat: Traits['hat']): Drawn {
  const { top, earX, earY, faceY, armX } = form;
  const onTop = (part: SVGTemplateResult): SVGTemplateResult =>
    svg`<g transform="translate(48 ${top}) scale(${form.hat})">${part}</g>`;
  const aside = (part: SVGTemplateResult): SVGTemplateResult =>
    svg`<g transform="translate(${48 - earX - 1} ${earY + 1}) rotate(-16)">${part}</g>`;
  switch (hat) {
    case 'none':
      return nothing;
    case 'beanie':
      return onTop(svg`<path class="accent o" d="M-17 7C-17 -8 -9 -12 0 -12C9 -12 17 -8 17 7Z"></path>
        <rect class="cream o" x="-19.500" y="3" width="39" height="8" rx="4"></rect><circle class="cream o" cy="-14" r="5"></circle>`);
    case 'cap':
      return onTop(svg`<path class="accent o" d="M-17 8C-17 -6 -9 -11 0 -11C9 -11 17 -6 17 8Z"></path>
        <path class="accent-deep o" d="M-2 8H17C24 7 29 9 30 13C22 12 8 12 -2 12Z"></path><circle class="cream" cy="-11" r="2.200"></circle>`);
    case 'helmet':
      return onTop(svg`<path class="accent o" d="M-18 8C-18 -8 -9 -13 0 -13C9 -13 18 -8 18 8Z"></path>
        <path class="cream o" d="M-4 7V-12.500Q0 -15 4 -12.500V7Z"></path><rect class="accent o" x="-22" y="6" width="44" height="6" rx="3"></rect>`);
    case 'headphones':
      return svg`<path class="band-edge" d="M${48 - armX + 2} ${faceY - 2}C${48 - armX} ${top - 10} ${48 + armX} ${top - 10} ${48 + armX - 2} ${faceY - 2}"></path>
        <path class="band" d="M${48 - armX + 2} ${faceY - 2}C${48 - armX} ${top - 10} ${48 + armX} ${top - 10} ${48 + armX - 2} ${faceY - 2}"></path>
        ${mirrored(svg`<rect class="accent o" x=${48 + armX - 6} y=${faceY - 9} width="9" height="16" rx="4.500"></rect>`)}`;
    case 'bow':
      return aside(svg`<path class="accent o" d="M0 -2L-11 -8Q-13 -1 -11 7L0 1L11 7Q13 -1 11 -8Z"></path>
        <rect class="accent-deep o" x="-3.500" y="-4.500" width="7" height="8" rx="2.500"></rect>`);
    case 'flower':
      return aside(svg`<g class="accent o"><circle cx="0" cy="-6" r="4.600"></circle><circle cx="5.700" cy="-1.900" r="4.600"></circle>
        <circle cx="3.500" cy="4.900" r="4.600"></circle><circle cx="-3.500" cy="4.900" r="4.600"></circle><circle cx="-5.700" cy="-1.900" r="4.600"></circle></g>
        <circle class="cream o" r="3.600"></circle>`);
  }
}

export function drawAccessory(form: BodyForm, accessory: Traits['accessory']): Drawn {
  const { faceY, eyeGap } = form;
  switch (accessory) {
    case 'none':
      return nothing;
    case 'scarf':
      return svg`<g clip-path="url(#torso)"><path class="accent o" d="M8 ${faceY + 13}Q48 ${faceY + 24} 88 ${faceY + 13}V${faceY + 21}Q48 ${faceY + 32} 8 ${faceY + 21}Z"></path></g>
        <path class="accent o" d="M56 ${faceY + 22}L67 ${faceY + 20}L69 ${faceY + 33}L59 ${faceY + 35}Z"></path>`;
    case 'bowtie':
      return svg`<g transform="translate(48 ${faceY + 20})"><path class="accent o" d="M0 -1.500L-9 -6V6L0 1.500L9 6V-6Z"></path>
        <rect class="accent-deep o" x="-2.800" y="-3.200" width="5.600" height="6.400" rx="2"></rect></g>`;
    case 'glasses':
      return svg`<g class="line"><circle cx=${48 - eyeGap} cy=${faceY} r="8"></circle><circle cx=${48 + eyeGap} cy=${faceY} r="8"></circle>
        <path d="M${48 - eyeGap + 8} ${faceY - 1}Q48 ${faceY - 3} ${48 + eyeGap - 8} ${faceY - 1}"></path></g>`;
    case 'badge':
      return svg`<path class="cream o" transform="translate(36 ${faceY + 20})"
        d="M0 -6L1.800 -2.200L6 -1.700L2.900 1.200L3.700 5.400L0 3.300L-3.700 5.400L-2.900 1.200L-6 -1.700L-1.800 -2.200Z"></path>`;
    case 'pocket':
      return svg`<path class="shade o" d="M39 ${faceY + 17}H57V${faceY + 21}Q57 ${faceY + 27} 48 ${faceY + 27}Q39 ${faceY + 27} 39 ${faceY + 21}Z"></path>`;
  }
}
