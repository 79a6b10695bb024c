import { css } from 'lit';

/**
 * A mascot's own colours are its identity, so they are the only fixed ones here: one family by their chroma, and neighbours in
 * hue, or in what an eye without red, green or blue cones makes of it, lie apart in lightness (mascotColours.test.ts). Everything
 * else comes from the editor's theme.
 */
export const avatarStyles = css`
  :host {
    display: block;
    inline-size: var(--avatar-size, 64px);
    block-size: var(--avatar-size, 64px);
    --line: 2.6;
  }
  svg {
    display: block;
    inline-size: 100%;
    block-size: 100%;
    overflow: visible;
    --ink: color-mix(in oklab, var(--fill) 22%, oklch(0.2 0.03 285));
    --shade: color-mix(in oklab, var(--fill) 80%, oklch(0.3 0.06 285));
    --pale: color-mix(in oklab, var(--fill) 35%, oklch(0.97 0.015 90));
    --accent-deep: color-mix(in oklab, var(--accent) 76%, oklch(0.3 0.06 285));
    --mark: var(--mascot-mark, currentColor);
    --cream: oklch(0.96 0.03 90);
  }
  :host([size='small']) {
    --line: 3.4;
  }
  :host([size='large']) {
    --line: 2.2;
  }

  .apricot {
    --fill: oklch(0.78 0.12 62);
  }
  .sky {
    --fill: oklch(0.79 0.1 236);
  }
  .mint {
    --fill: oklch(0.89 0.085 166);
  }
  .lilac {
    --fill: oklch(0.71 0.11 306);
  }
  .coral {
    --fill: oklch(0.72 0.145 26);
  }
  .butter {
    --fill: oklch(0.92 0.105 99);
  }
  .teal {
    --fill: oklch(0.61 0.085 200);
  }
  .rose {
    --fill: oklch(0.83 0.09 350);
  }
  .indigo {
    --fill: oklch(0.57 0.125 277);
  }
  .moss {
    --fill: oklch(0.63 0.11 133);
  }
  .sand {
    --fill: oklch(0.85 0.05 76);
  }
  .slate {
    --fill: oklch(0.69 0.028 256);
  }

  .on-warm {
    --accent: oklch(0.74 0.15 50);
  }
  .on-cool {
    --accent: oklch(0.7 0.12 245);
  }
  .on-leaf {
    --accent: oklch(0.74 0.13 145);
  }
  .on-berry {
    --accent: oklch(0.66 0.16 5);
  }
  .on-cream {
    --accent: oklch(0.94 0.045 88);
  }
  .on-deep {
    --accent: oklch(0.5 0.09 285);
  }

  .fill {
    fill: var(--fill);
  }
  .shade {
    fill: var(--shade);
  }
  .pale {
    fill: var(--pale);
  }
  .accent {
    fill: var(--accent);
  }
  .accent-deep {
    fill: var(--accent-deep);
  }
  .cream,
  .paper {
    fill: var(--cream);
  }
  .white {
    fill: oklch(0.99 0.005 90);
  }
  .ink {
    fill: var(--ink);
  }
  .glint {
    fill: oklch(0.99 0.005 90);
  }
  .tint {
    fill: color-mix(in oklab, var(--fill) 72%, oklch(0.4 0.09 285));
  }
  .gloss {
    fill: oklch(1 0 0 / 0.13);
  }
  .gape {
    fill: oklch(0.42 0.12 20);
  }
  .beak,
  .pencil {
    fill: oklch(0.84 0.15 85);
  }
  .blush {
    fill: oklch(0.65 0.19 15 / 0.45);
  }
  .blush-solid {
    fill: oklch(0.76 0.12 12);
  }
  .freckle {
    fill: color-mix(in oklab, var(--ink) 60%, var(--fill));
  }
  .skin {
    fill: oklch(0.86 0.06 60);
  }
  .wood {
    fill: oklch(0.7 0.07 60);
  }
  .gloom {
    fill: oklch(0.93 0.06 92);
  }
  .signal {
    fill: oklch(0.68 0.18 28);
  }
  .cover {
    fill: oklch(0.6 0.13 250);
  }
  .screen {
    fill: oklch(0.29 0.03 265);
  }
  .frame {
    fill: oklch(0.72 0.03 260);
  }
  .glass {
    fill: oklch(0.95 0.03 225 / 0.3);
  }
  .water {
    fill: oklch(0.83 0.09 225);
  }
  .case {
    fill: oklch(0.65 0.1 50);
  }
  .leaf {
    fill: oklch(0.75 0.14 145);
  }
  .warn {
    fill: oklch(0.83 0.16 82);
  }
  .ask {
    fill: oklch(0.86 0.09 230);
  }
  .floor {
    fill: oklch(0.2 0.02 285 / 0.16);
  }

  .o,
  .line,
  .mark-line,
  .bold-line,
  .tint-line,
  .blush-line,
  .screen-line,
  .shine,
  .sky-line {
    stroke-linecap: round;
    stroke-linejoin: round;
    stroke-width: var(--line);
  }
  .o {
    stroke: var(--ink);
  }
  .line {
    fill: none;
    stroke: var(--ink);
  }
  .bold-line {
    fill: none;
    stroke: oklch(0.25 0.04 285);
    stroke-width: 4.6;
  }
  .mark-line,
  .sky-line {
    fill: none;
    stroke: var(--mark);
    stroke-width: calc(var(--line) + 0.4);
  }
  .thin {
    stroke-width: calc(var(--line) * 0.75);
  }
  .tint-line {
    fill: none;
    stroke: color-mix(in oklab, var(--fill) 72%, oklch(0.4 0.09 285));
    stroke-width: 5;
  }
  .blush-line {
    fill: none;
    stroke: oklch(0.55 0.17 15 / 0.7);
    stroke-width: 1.8;
  }
  .screen-line {
    fill: none;
    stroke: oklch(0.86 0.16 150);
    stroke-width: 3.6;
  }
  .shine {
    fill: none;
    stroke: oklch(0.99 0 0 / 0.9);
  }

  .stalk,
  .stalk-edge,
  .band,
  .band-edge,
  .pole,
  .pole-edge,
  .arm-edge,
  .arm-fill {
    fill: none;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  .stalk-edge,
  .arm-edge,
  .pole-edge,
  .band-edge {
    stroke: var(--ink);
  }
  .stalk {
    stroke: var(--fill);
    stroke-width: 3.2;
  }
  .stalk-edge {
    stroke-width: calc(3.2px + var(--line) * 1.6px);
  }
  .band {
    stroke: var(--accent-deep);
    stroke-width: 3.6;
  }
  .band-edge {
    stroke-width: calc(3.6px + var(--line) * 1.8px);
  }
  .pole {
    stroke: oklch(0.75 0.07 65);
    stroke-width: 3;
  }
  .pole-edge {
    stroke-width: calc(3px + var(--line) * 1.8px);
  }
  .pole.enamel {
    stroke: var(--cream);
  }
  .pole.leather {
    stroke: oklch(0.65 0.1 50);
  }
  .pole.thick {
    stroke-width: 4.6;
  }
  .pole-edge.thick {
    stroke-width: calc(4.6px + var(--line) * 2px);
  }
  .arm-fill {
    stroke: var(--fill);
    stroke-width: 6.4;
  }
  .arm-edge {
    stroke-width: calc(6.4px + var(--line) * 2px);
  }
`;
