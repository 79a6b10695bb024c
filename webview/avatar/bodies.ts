import type { Traits } from './traits.ts';

/** Where the parts of a mascot sit on its body, in the 96 × 96 picture; x is measured from the middle (48). */
export interface BodyForm {
  readonly outline: string;
  /** The head's highest point in the middle: hats and antennae stand here. */
  readonly top: number;
  readonly earX: number;
  readonly earY: number;
  /** How far the ears lean outwards, in degrees. */
  readonly earLean: number;
  readonly faceY: number;
  readonly eyeGap: number;
  readonly armX: number;
  readonly armY: number;
  /** A hat's width as a share of the usual one. */
  readonly hat: number;
  readonly feet: number;
}

export const bodyForms: Readonly<Record<Traits['body'], BodyForm>> = {
  orb: {
    outline: 'M48 34C64 34 74 46 74 61C74 77 64 86 48 86C32 86 22 77 22 61C22 46 32 34 48 34Z',
    ...{ top: 34, earX: 15, earY: 40, earLean: 14, faceY: 57, eyeGap: 9, armX: 24, armY: 66, hat: 1, feet: 10 },
  },
  pill: {
    outline: 'M48 28C60 28 68 36 68 49V68C68 80 60 86 48 86C36 86 28 80 28 68V49C28 36 36 28 48 28Z',
    ...{ top: 28, earX: 12, earY: 33, earLean: 8, faceY: 50, eyeGap: 8, armX: 18.5, armY: 63, hat: 0.88, feet: 8 },
  },
  loaf: {
    outline: 'M48 43C68 43 80 51 80 67C80 81 73 86 60 86H36C23 86 16 81 16 67C16 51 28 43 48 43Z',
    ...{ top: 43, earX: 20, earY: 48, earLean: 18, faceY: 62, eyeGap: 10.5, armX: 29, armY: 69, hat: 1.1, feet: 15 },
  },
  box: {
    outline: 'M36 36H60C69 36 73 40 73 49V73C73 82 69 86 60 86H36C27 86 23 82 23 73V49C23 40 27 36 36 36Z',
    ...{ top: 36, earX: 17, earY: 38, earLean: 6, faceY: 57, eyeGap: 9.5, armX: 24, armY: 67, hat: 1.08, feet: 11 },
  },
  ghost: {
    outline:
      'M48 32C64 32 72 44 72 58V81C72 88 63 88 60 82C57 88 51 88 48 82C45 88 39 88 36 82C33 88 24 88 24 81V58C24 44 32 32 48 32Z',
    ...{ top: 32, earX: 13.5, earY: 38, earLean: 12, faceY: 55, eyeGap: 9, armX: 22.5, armY: 66, hat: 0.96, feet: 0 },
  },
  pear: {
    outline:
      'M48 31C58 31 64 38 65 48C66 56 77 61 77 72C77 82 66 86 48 86C30 86 19 82 19 72C19 61 30 56 31 48C32 38 38 31 48 31Z',
    ...{ top: 31, earX: 12, earY: 36, earLean: 12, faceY: 52, eyeGap: 7.5, armX: 23, armY: 67, hat: 0.84, feet: 12 },
  },
  drop: {
    outline: 'M48 25C53 35 74 45 74 65C74 79 64 86 48 86C32 86 22 79 22 65C22 45 43 35 48 25Z',
    ...{ top: 27, earX: 14, earY: 45, earLean: 26, faceY: 60, eyeGap: 9, armX: 24, armY: 69, hat: 0.62, feet: 10 },
  },
  gem: {
    outline:
      'M37 36H59Q64 36 66.500 40.200L77 57.500Q79.200 61 77 64.500L66.500 81.800Q64 86 59 86H37Q32 86 29.500 81.800L19 64.500Q16.800 61 19 57.500L29.500 40.200Q32 36 37 36Z',
    ...{ top: 36, earX: 14, earY: 38, earLean: 10, faceY: 58, eyeGap: 9.5, armX: 27, armY: 65, hat: 0.94, feet: 10 },
  },
  cloud: {
    outline:
      'M35 43C34 32 48 28 53 36C62 30 73 38 69 48C79 50 81 62 74 68C79 77 71 87 61 84C56 89 40 89 35 84C25 87 17 77 22 68C15 62 17 51 26 49C23 43 29 38 35 43Z',
    ...{ top: 34, earX: 16, earY: 40, earLean: 16, faceY: 59, eyeGap: 9.5, armX: 25, armY: 67, hat: 0.98, feet: 10 },
  },
  bell: {
    outline: 'M48 29C55 29 59 33 62 41L75 73C78 81 74 86 66 86H30C22 86 18 81 21 73L34 41C37 33 41 29 48 29Z',
    ...{ top: 29, earX: 9.5, earY: 34, earLean: 20, faceY: 57, eyeGap: 8, armX: 20, armY: 67, hat: 0.72, feet: 12 },
  },
};
