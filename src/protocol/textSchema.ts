import * as z from 'zod/mini';

/**
 * A text within these lengths, for whatever came from elsewhere. A rule on `z.string()` itself is also asked of an object in the
 * text's place that has a `length`; and one whose length is `{"toString": 1}` makes the comparison throw.
 */
export function textWithin(min: number, max?: number) {
  const least = z.string().check(z.minLength(min));
  return z.pipe(z.string(), max === undefined ? least : least.check(z.maxLength(max)));
}
