/** How far apart two colours are to an eye: OKLab × 100, where 2 is just seen side by side. */
export type Sight = 'full' | 'grey' | 'protan' | 'deutan' | 'tritan';
export type Triple = readonly [number, number, number];
type Matrix = readonly [number, number, number, number, number, number, number, number, number];

/** Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB. */
const matrices: Readonly<Partial<Record<Sight, Matrix>>> = {
  protan: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deutan: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritan: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
  grey: [0.2126, 0.7152, 0.0722, 0.2126, 0.7152, 0.0722, 0.2126, 0.7152, 0.0722],
};

/** Of a channel from 0 to 255. */
export function linear(channel: number): number {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** What an eye makes of a colour in linear RGB. */
export function seenBy(sight: Sight, rgb: Triple): Triple {
  const m = matrices[sight];
  const [r, g, b] = rgb;
  if (!m) return labOf(r, g, b);
  return labOf(
    Math.max(0, m[0] * r + m[1] * g + m[2] * b),
    Math.max(0, m[3] * r + m[4] * g + m[5] * b),
    Math.max(0, m[6] * r + m[7] * g + m[8] * b),
  );
}

function labOf(r: number, g: number, b: number): Triple {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    100 * (0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s),
    100 * (1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s),
    100 * (0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s),
  ];
}

/** WCAG's contrast of two colours in linear RGB. */
export function contrast(one: Triple, other: Triple): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance([r, g, b]: Triple): number {
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
