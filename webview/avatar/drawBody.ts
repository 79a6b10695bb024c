import { nothing, svg, type SVGTemplateResult } from 'lit';
import type { BodyForm } from './bodies.ts';
import type { Traits } from './traits.ts';

type Drawn = SVGTemplateResult | typeof nothing;

/** The part, and its mirror image on the other side of the middle. */
export function mirrored(part: SVGTemplateResult): SVGTemplateResult {
  return svg`${part}<g transform="translate(96 0) scale(-1 1)">${part}</g>`;
}

export function drawFeet(form: BodyForm): Drawn {
  if (form.feet === 0) return nothing;
  return mirrored(svg`<ellipse class="shade o" cx=${48 + form.feet} cy="86.500" rx="6.500" ry="4"></ellipse>`);
}

export function drawTorso(form: BodyForm, pattern: Traits['pattern']): SVGTemplateResult {
  return svg`
    <clipPath id="torso"><path d=${form.outline}></path></clipPath>
    <path class="fill" d=${form.outline}></path>
    <g clip-path="url(#torso)">
      ${drawPattern(form, pattern)}
      <path class="gloss" d="M10 20H86V60C74 42 40 36 10 74Z"></path>
    </g>
    <path class="line" d=${form.outline}></path>`;
}

function drawPattern(form: BodyForm, pattern: Traits['pattern']): Drawn {
  const { faceY } = form;
  switch (pattern) {
    case 'plain':
      return nothing;
    case 'belly':
      return svg`<ellipse class="pale" cx="48" cy="84" rx="17" ry="17"></ellipse>`;
    case 'spots':
      return svg`<g class="tint"><circle cx="29" cy=${faceY - 13} r="5"></circle><circle cx="66" cy=${faceY + 17} r="6"></circle>
        <circle cx="72" cy=${faceY - 6} r="4"></circle><circle cx="30" cy=${faceY + 20} r="4"></circle>
        <circle cx="55" cy=${faceY - 20} r="4"></circle></g>`;
    case 'stripes':
      return svg`<path class="tint-line" d="M10 ${faceY + 15}Q48 ${faceY + 21} 86 ${faceY + 15}M10 ${faceY + 25}Q48 ${faceY + 31} 86 ${faceY + 25}"></path>`;
    case 'mask':
      return svg`<ellipse class="pale" cx="48" cy=${faceY + 3} rx="19" ry="14"></ellipse>`;
    case 'dip':
      return svg`<path class="tint" d="M8 ${faceY + 17}Q20 ${faceY + 11} 32 ${faceY + 17}T56 ${faceY + 17}T80 ${faceY + 17}T104 ${faceY + 17}V100H8Z"></path>`;
  }
}

/** Ears and antennae: with the body they make the silhouette, which tells mascots apart where colour can't. */
export function drawEars(form: BodyForm, ears: Traits['ears']): SVGTemplateResult {
  const { top, earX, earY, earLean, armX, faceY } = form;
  const onHead = (part: SVGTemplateResult): SVGTemplateResult =>
    mirrored(svg`<g transform="translate(${48 + earX} ${earY}) rotate(${earLean})">${part}</g>`);
  switch (ears) {
    case 'cat':
      return onHead(svg`<path class="fill o" d="M-9 5L-4.500 -12Q-3 -15 0 -13L11 5Z"></path>
        <path class="accent" d="M-3 2L-1.500 -6.500L5 2Z"></path>`);
    case 'bear':
      return onHead(svg`<circle class="fill o" cx="1" cy="-4" r="9"></circle>
        <circle class="accent" cx="1" cy="-4" r="4"></circle>`);
    case 'bunny':
      return onHead(svg`<path class="fill o" d="M-6 6C-9 -10 -6 -24 0 -24C6 -24 9 -10 6 6Z"></path>
        <path class="accent" d="M-2 0C-3.500 -9 -2 -17 0 -17C2 -17 3.500 -9 2 0Z"></path>`);
    case 'floppy':
      return onHead(svg`<path class="shade o" d="M-3 -3C6 -9 15 -4 15 8C15 17 9 21 6 16C3 11 4 6 -5 4Z"></path>`);
    case 'antenna':
      return svg`<path class="stalk-edge" d="M48 ${top + 4}V${top - 10}"></path><path class="stalk" d="M48 ${top + 4}V${top - 10}"></path>
        <circle class="accent o" cx="48" cy=${top - 13} r="5.500"></circle>`;
    case 'feelers':
      return onHead(svg`<path class="stalk-edge" d="M-6 4Q-6 -8 2 -14"></path><path class="stalk" d="M-6 4Q-6 -8 2 -14"></path>
        <circle class="accent o" cx="3.500" cy="-15" r="4.500"></circle>`);
    case 'sprout':
      return svg`<path class="stalk-edge" d="M48 ${top + 4}Q47 ${top - 4} 48 ${top - 8}"></path><path class="stalk" d="M48 ${top + 4}Q47 ${top - 4} 48 ${top - 8}"></path>
        <path class="accent o" d="M48 ${top - 7}C48 ${top - 17} 58 ${top - 19} 64 ${top - 16}C62 ${top - 8} 54 ${top - 5} 48 ${top - 7}Z"></path>
        <path class="accent o" d="M48 ${top - 7}C47 ${top - 14} 40 ${top - 16} 35 ${top - 13}C37 ${top - 7} 43 ${top - 5} 48 ${top - 7}Z"></path>`;
    case 'horns':
      return onHead(svg`<path class="cream o" d="M-5 4C-7 -4 -2 -10 6 -14C5 -8 8 -3 5 4Z"></path>`);
    case 'crest':
      return svg`<path class="accent o" d="M36 ${top + 8}L38 ${top - 6}L44 ${top}L48 ${top - 13}L52 ${top}L58 ${top - 6}L60 ${top + 8}Z"></path>`;
    case 'fins':
      return mirrored(
        svg`<path class="accent o" transform="translate(${48 + armX - 5} ${faceY - 5})" d="M0 -7L15 -12Q11 -5 16 0Q10 3 11 9L0 6Z"></path>`,
      );
  }
}
