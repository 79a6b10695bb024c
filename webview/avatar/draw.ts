import { svg, type SVGTemplateResult } from 'lit';
import type { Mood } from '../../src/protocol/state.ts';
import { bodyForms, type BodyForm } from './bodies.ts';
import { drawEars, drawFeet, drawTorso } from './drawBody.ts';
import { drawFace } from './drawFace.ts';
import { drawBackdrop, drawPlaster, drawProp, drawSign } from './drawProps.ts';
import { drawAccessory, drawHat } from './drawWear.ts';
import { poses, type Arm, type Pose } from './poses.ts';
import type { Traits } from './traits.ts';

/** One mascot in one mood, in a picture of 96 × 96. Colours and line weights come from the avatar's style sheet. */
export function drawMascot(traits: Traits, mood: Mood): SVGTemplateResult {
  const form = bodyForms[traits.body];
  const pose = poses[mood];
  const lens = posed(pose, 48 + form.eyeGap, form.faceY);
  const prop = drawProp(mood, lens);
  // A magnifier lies over the hand that holds it; everything else is held from the front.
  const lensOver = mood === 'searching';
  const left = drawArm(form, pose, pose.left, -1);
  const right = drawArm(form, pose, lensOver ? handAt(lens) : pose.right, 1);
  return svg`
    <ellipse class="floor" cx=${48 + pose.shift[0]} cy="90" rx="29" ry="3.500"></ellipse>
    ${drawBackdrop(mood)}
    <g class="figure" transform=${stance(pose)}>
      ${drawEars(form, traits.ears)}${drawFeet(form)}${drawTorso(form, traits.pattern)}
      ${drawAccessory(form, traits.accessory === 'glasses' ? 'none' : traits.accessory)}
      ${drawHat(form, traits.hat)}${drawFace(form, traits, pose)}
      ${drawAccessory(form, traits.accessory === 'glasses' ? 'glasses' : 'none')}
      ${drawPlaster(mood, form.top)}
    </g>
    ${lensOver ? svg`${left}${right}${prop}` : mood === 'waiting' ? svg`${left}<g class="raised">${prop}${right}</g>` : svg`${prop}${left}${right}`}
    ${drawSign(mood)}`;
}

/** The hand that holds the magnifier's handle. */
function handAt([x, y]: readonly [number, number]): Arm {
  return [x + 14, y + 22];
}

/** The figure leans and is squashed about the middle of its feet. */
function stance(pose: Pose): string {
  const [x, y] = pose.shift;
  const [wide, high] = pose.squash;
  return `translate(${48 + x} ${88 + y}) rotate(${pose.lean}) scale(${wide} ${high}) translate(-48 -88)`;
}

/** Where a point of the upright figure comes to lie in its stance. */
function posed(pose: Pose, x: number, y: number): readonly [number, number] {
  const angle = (pose.lean * Math.PI) / 180;
  const dx = (x - 48) * pose.squash[0];
  const dy = (y - 88) * pose.squash[1];
  return [
    48 + pose.shift[0] + dx * Math.cos(angle) - dy * Math.sin(angle),
    88 + pose.shift[1] + dx * Math.sin(angle) + dy * Math.cos(angle),
  ];
}

function drawArm(form: BodyForm, pose: Pose, arm: Arm, side: 1 | -1): SVGTemplateResult {
  const [x1, y1] = posed(pose, 48 + side * (form.armX - 2), form.armY);
  const [x2, y2] = arm === 'rest' ? [x1 + side * 4, y1 + 10] : arm;
  const d = `M${round(x1)} ${round(y1)}Q${round((x1 + x2) / 2 + side * 3)} ${round((y1 + y2) / 2 + 4)} ${round(x2)} ${round(y2)}`;
  return svg`<g class=${side === 1 ? 'arm right' : 'arm left'}><path class="arm-edge" d=${d}></path><path class="arm-fill" d=${d}></path></g>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
