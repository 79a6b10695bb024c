import { expect, test } from 'vitest';
import { directionOf } from './direction.ts';

test('UI-7 the panel is written from the side that its language begins at', () => {
  expect(['en', 'ko', 'ar', 'he-IL', 'fa_IR', '', 'qps-ploc'].map(directionOf)).toEqual([
    'ltr',
    'ltr',
    'rtl',
    'rtl',
    'rtl',
    'ltr',
    'ltr',
  ]);
});
