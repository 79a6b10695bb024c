import { expect, test } from 'vitest';
import { cutText, oneLine, shortText, textFrom } from './text.ts';

const faces = '😀'.repeat(10);

test('COL-6 a cut leaves no half of a letter, wherever it falls', () => {
  for (let max = 0; max <= 21; max++) {
    const cuts = [
      cutText(faces, max),
      textFrom(faces, max),
      textFrom(faces, -max),
      oneLine(faces, max),
      oneLine(`x${faces.repeat(9)}`, max),
      shortText(faces, max) ?? '',
    ];
    // Of half a pair no address can be made.
    for (const cut of cuts) expect(() => encodeURIComponent(cut)).not.toThrow();
  }
});
