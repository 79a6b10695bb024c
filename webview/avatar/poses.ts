import type { Mood } from '../../src/protocol/state.ts';

export type EyeLook = 'open' | 'wide' | 'peering' | 'happy' | 'shut' | 'ouch';
export type MouthLook = 'own' | 'grin' | 'round' | 'flat' | 'wavy' | 'tiny' | 'smile';
/** `rest` hangs beside the body; otherwise the place of the hand in the picture. */
export type Arm = 'rest' | readonly [x: number, y: number];

/** What a mood does to any body. All of it stands still: motion only ever adds to a picture that is complete. */
export interface Pose {
  /** Degrees; positive leans to the right. */
  readonly lean: number;
  readonly shift: readonly [x: number, y: number];
  readonly squash: readonly [x: number, y: number];
  readonly eyes: EyeLook;
  readonly gaze: readonly [x: number, y: number];
  readonly brows: 'none' | 'up' | 'worried';
  readonly mouth: MouthLook;
  readonly left: Arm;
  readonly right: Arm;
}

const calm: Pose = {
  lean: 0,
  shift: [0, 0],
  squash: [1, 1],
  eyes: 'open',
  gaze: [0, 0],
  brows: 'none',
  mouth: 'own',
  left: 'rest',
  right: 'rest',
};

export const poses: Readonly<Record<Mood, Pose>> = {
  arriving: { ...calm, shift: [4, 0], mouth: 'grin', brows: 'up', left: [15, 46] },
  resting: { ...calm, shift: [-5, 0], squash: [1.04, 0.94], eyes: 'happy', mouth: 'smile', right: [69, 74] },
  thinking: { ...calm, lean: -5, shift: [-6, 0], gaze: [2.2, -2.6], brows: 'up', mouth: 'flat', right: [53, 75] },
  reading: { ...calm, gaze: [0, 2.8], mouth: 'tiny', left: [22, 79], right: [74, 79] },
  writing: { ...calm, lean: 3, shift: [-5, 0], gaze: [2.4, 2.4], right: [71, 70] },
  running: { ...calm, shift: [-5, 0], lean: -3, gaze: [2.2, 2.4], mouth: 'flat', left: [40, 84], right: [66, 64] },
  searching: { ...calm, lean: 6, shift: [-4, 0], eyes: 'peering', gaze: [1.6, 0], mouth: 'round', right: [79, 80] },
  browsing: { ...calm, shift: [-7, 0], gaze: [2.6, 0.6], mouth: 'smile', right: [75, 78] },
  delegating: {
    ...calm,
    lean: 4,
    shift: [-7, 0],
    gaze: [2.6, 0],
    brows: 'up',
    mouth: 'grin',
    left: [12, 60],
    right: [64, 66],
  },
  waiting: { ...calm, shift: [-5, 1], eyes: 'wide', brows: 'worried', mouth: 'tiny', right: [80, 44] },
  asking: {
    ...calm,
    lean: 8,
    shift: [-7, 0],
    gaze: [1, -1.6],
    brows: 'up',
    mouth: 'round',
    left: [12, 60],
    right: 'rest',
  },
  celebrating: { ...calm, shift: [0, -5], eyes: 'happy', mouth: 'grin', left: [12, 38], right: [84, 38] },
  hurt: { ...calm, lean: -8, shift: [0, 1], squash: [1.04, 0.95], eyes: 'ouch', brows: 'worried', mouth: 'wavy' },
  sleeping: { ...calm, shift: [-3, 0], squash: [1.08, 0.88], eyes: 'shut', mouth: 'tiny' },
  leaving: { ...calm, lean: 6, shift: [-4, 0], gaze: [3.2, 0], mouth: 'smile', left: [13, 50], right: [76, 68] },
};
