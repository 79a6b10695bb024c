import { nothing, svg, type SVGTemplateResult } from 'lit';
import type { BodyForm } from './bodies.ts';
import { mirrored } from './drawBody.ts';
import type { Pose } from './poses.ts';
import type { Traits } from './traits.ts';

type Drawn = SVGTemplateResult | typeof nothing;

export function drawFace(form: BodyForm, traits: Traits, pose: Pose): SVGTemplateResult {
  return svg`${drawCheeks(form, traits.cheeks)}<g class="eyes ${seesWith(pose.eyes)}">${drawEyes(form, traits.eyes, pose)}</g>
    ${drawBrows(form, pose.brows)}${drawMouth(form, traits.mouth, pose)}`;
}

/** Only open eyes can blink. */
function seesWith(look: Pose['eyes']): string {
  return look === 'open' || look === 'wide' || look === 'peering' ? 'awake' : '';
}

function drawEyes(form: BodyForm, kind: Traits['eyes'], pose: Pose): SVGTemplateResult {
  const gap = kind === 'bead' ? form.eyeGap + 2.5 : form.eyeGap;
  const place = (x: number, part: SVGTemplateResult): SVGTemplateResult =>
    svg`<g transform="translate(${48 + x} ${form.faceY})">${part}</g>`;
  const both = (part: SVGTemplateResult): SVGTemplateResult => svg`${place(-gap, part)}${place(gap, part)}`;
  switch (pose.eyes) {
    case 'happy':
      return both(svg`<path class="line" d="M-4.500 1.500Q0 -5 4.500 1.500"></path>`);
    case 'shut':
      return both(svg`<path class="line" d="M-4.500 -0.500Q0 4.500 4.500 -0.500"></path>`);
    case 'ouch':
      return svg`${place(-gap, svg`<path class="line" d="M-3.500 -3.500L3 0L-3.500 3.500"></path>`)}
        ${place(gap, svg`<path class="line" d="M3.500 -3.500L-3 0L3.500 3.500"></path>`)}`;
    case 'open':
    case 'wide':
    case 'peering':
      return svg`${place(-gap, drawEye(kind, pose, -1))}${place(gap, drawEye(kind, pose, 1))}`;
  }
}

function drawEye(kind: Traits['eyes'], pose: Pose, side: 1 | -1): SVGTemplateResult {
  const [x, y] = pose.gaze;
  const grown = eyeGrowth(pose.eyes, side);
  const eye = (part: SVGTemplateResult, share = 1): SVGTemplateResult =>
    svg`<g transform="translate(${x * share} ${y * share}) scale(${grown})">${part}</g>`;
  switch (kind) {
    case 'dot':
      return eye(
        svg`<circle class="ink" r="4"></circle><circle class="glint" cx="1.300" cy="-1.400" r="1.200"></circle>`,
      );
    case 'tall':
      return eye(
        svg`<ellipse class="ink" rx="3.500" ry="5.600"></ellipse><circle class="glint" cx="1" cy="-2.400" r="1.300"></circle>`,
      );
    case 'gleam':
      return eye(
        svg`<circle class="ink" r="5.600"></circle><circle class="glint" cx="1.800" cy="-2" r="2.100"></circle><circle class="glint" cx="-1.800" cy="2" r="1"></circle>`,
        0.7,
      );
    case 'ringed':
      return svg`<g transform="scale(${grown})"><circle class="white o" r="6.400"></circle>
        <circle class="ink" cx=${x * 0.95} cy=${y * 0.95} r="3.300"></circle></g>`;
    case 'bead':
      return eye(svg`<circle class="ink" r="3.300"></circle>`);
    case 'lash':
      return eye(
        svg`<ellipse class="ink" rx="3.800" ry="4.600"></ellipse><circle class="glint" cx="1.100" cy="-1.700" r="1.300"></circle>
          <path class="line thin" d="M${side * 3} -2.500L${side * 7} -5M${side * 3.5} 0L${side * 7.5} -1"></path>`,
      );
  }
}

/** One that peers has one eye behind a lens. */
function eyeGrowth(look: Pose['eyes'], side: 1 | -1): number {
  if (look === 'wide') return 1.22;
  return look === 'peering' && side === 1 ? 1.7 : 1;
}

function drawBrows(form: BodyForm, brows: Pose['brows']): Drawn {
  const y = form.faceY - 10.5;
  const from = 48 + form.eyeGap - 4;
  const to = 48 + form.eyeGap + 4;
  switch (brows) {
    case 'none':
      return nothing;
    case 'up':
      return mirrored(svg`<path class="line" d="M${from} ${y - 1}Q${from + 4} ${y - 4} ${to} ${y - 1}"></path>`);
    case 'worried':
      return mirrored(svg`<path class="line" d="M${from} ${y - 3}L${to} ${y + 0.5}"></path>`);
  }
}

function drawMouth(form: BodyForm, own: Traits['mouth'], pose: Pose): SVGTemplateResult {
  const look = pose.mouth;
  const y = form.faceY + 9;
  const at = (part: SVGTemplateResult): SVGTemplateResult => svg`<g transform="translate(48 ${y})">${part}</g>`;
  if (own === 'muzzle') {
    const below =
      look === 'own' || look === 'smile'
        ? svg`<path class="line thin" d="M-4 3.500Q0 7 4 3.500"></path>`
        : drawMoodMouth(look, 4);
    return at(svg`<ellipse class="pale o" cy="1.500" rx="9.500" ry="7.500"></ellipse>
      <path class="ink" d="M-3.200 -3.500H3.200L0 0.300Z"></path><g transform="scale(0.8)">${below}</g>`);
  }
  if (own === 'beak' && look !== 'wavy') {
    const open = look === 'grin' || look === 'round';
    return at(
      open
        ? svg`<path class="beak o" d="M-6.500 -2L0 -5L6.500 -2L0 1Z"></path><path class="beak o" d="M-5 1.500L0 7L5 1.500Q0 3.500 -5 1.500Z"></path>`
        : svg`<path class="beak o" d="M-6 -2.500Q0 -5.500 6 -2.500L0 4Z"></path>`,
    );
  }
  return at(look === 'own' ? drawOwnMouth(own) : drawMoodMouth(look, 0));
}

function drawOwnMouth(kind: Traits['mouth']): SVGTemplateResult {
  switch (kind) {
    case 'cat':
      return svg`<path class="line" d="M-6 -0.500Q-3 4 0 0Q3 4 6 -0.500"></path>`;
    case 'tooth':
      return svg`<path class="white o thin" d="M1.500 1.800L3.200 6L5.200 0.800Z"></path><path class="line" d="M-6 -0.500Q0 5 6 -0.500"></path>`;
    case 'small':
      return svg`<path class="line" d="M-2.800 0Q0 2.600 2.800 0"></path>`;
    case 'smile':
    case 'beak':
    case 'muzzle':
      return svg`<path class="line" d="M-6 -1Q0 6 6 -1"></path>`;
  }
}

function drawMoodMouth(look: Exclude<Pose['mouth'], 'own'>, y: number): SVGTemplateResult {
  switch (look) {
    case 'grin':
      return svg`<path class="gape o" d="M-7 ${y - 2}H7Q6 ${y + 7} 0 ${y + 7}Q-6 ${y + 7} -7 ${y - 2}Z"></path>`;
    case 'smile':
      return svg`<path class="line" d="M-6 ${y - 1}Q0 ${y + 6} 6 ${y - 1}"></path>`;
    case 'round':
      return svg`<ellipse class="gape o" cy=${y + 1.5} rx="3.200" ry="3.800"></ellipse>`;
    case 'flat':
      return svg`<path class="line" d="M-4.500 ${y + 2}L4.500 ${y}"></path>`;
    case 'wavy':
      return svg`<path class="line" d="M-7 ${y + 3}Q-4.500 ${y - 1} -2 ${y + 2}T2.500 ${y + 2}T7 ${y + 1}"></path>`;
    case 'tiny':
      return svg`<path class="line" d="M-2 ${y + 1}H2"></path>`;
  }
}

function drawCheeks(form: BodyForm, kind: Traits['cheeks']): Drawn {
  const x = 48 + form.eyeGap + 6;
  const y = form.faceY + 6.5;
  switch (kind) {
    case 'none':
      return nothing;
    case 'blush':
      return mirrored(svg`<ellipse class="blush" cx=${x} cy=${y} rx="4" ry="2.700"></ellipse>`);
    case 'freckles':
      return mirrored(
        svg`<g class="freckle"><circle cx=${x - 2} cy=${y} r="1.100"></circle><circle cx=${x + 2} cy=${y - 1} r="1.100"></circle><circle cx=${x + 0.5} cy=${y + 2.4} r="1.100"></circle></g>`,
      );
    case 'dashes':
      return mirrored(
        svg`<path class="blush-line" d="M${x - 2.5} ${y + 2}L${x - 0.5} ${y - 2}M${x + 1.5} ${y + 2}L${x + 3.5} ${y - 2}"></path>`,
      );
  }
}
