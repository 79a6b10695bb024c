/**
 * Makes the pictures of a browser small enough for a package: at most 256 colours, packed as tightly as deflate can. Flat
 * drawings lose nothing that an eye sees by it.
 */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const COLOURS = 256;

/** @typedef {{ width: number, height: number, pixels: Uint8Array }} Picture  three bytes a pixel */

/** @param {Buffer} png  eight bits a channel, as browsers write it */
export function smallPng(png) {
  return encode(decode(png));
}

/**
 * @param {Buffer} png
 * @returns {Picture}
 */
function decode(png) {
  /** @type {Buffer[]} */
  const packed = [];
  let [width, height, channels] = [0, 0, 0];
  for (let at = SIGNATURE.length; at < png.length; at += png.readUInt32BE(at) + 12) {
    const body = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    const kind = png.toString('latin1', at + 4, at + 8);
    if (kind === 'IDAT') packed.push(body);
    if (kind !== 'IHDR') continue;
    [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)];
    channels = body[9] === 6 ? 4 : 3;
    if (body[8] !== 8 || (body[9] !== 2 && body[9] !== 6) || body[12] !== 0)
      throw new Error('Only true colour of eight bits, not interlaced, is read here.');
  }
  const rows = inflateSync(Buffer.concat(packed));
  const stride = width * channels;
  const flat = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x < channels ? 0 : (flat[at - channels] ?? 0);
      const up = y === 0 ? 0 : (flat[at - stride] ?? 0);
      const corner = x < channels || y === 0 ? 0 : (flat[at - stride - channels] ?? 0);
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      flat[at] = (rows[y * (stride + 1) + 1 + x] ?? 0) + guess;
    }
  }
  const pixels = new Uint8Array(width * height * 3);
  for (let from = 0, to = 0; to < pixels.length; from += channels, to += 3)
    pixels.set(flat.subarray(from, from + 3), to);
  return { width, height, pixels };
}

/**
 * @param {number} left
 * @param {number} up
 * @param {number} corner
 */
function paeth(left, up, corner) {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** @param {Picture} picture */
function encode({ width, height, pixels }) {
  const { palette, indexOf } = fewColours(pixels);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = indexOf.get(colourAt(pixels, y * width + x)) ?? 0;
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/**
 * @param {string} kind
 * @param {Buffer} body
 */
function chunk(kind, body) {
  const named = Buffer.concat([Buffer.from(kind, 'latin1'), body]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/**
 * @param {Uint8Array} pixels
 * @param {number} index
 */
function colourAt(pixels, index) {
  return ((pixels[index * 3] ?? 0) << 16) | ((pixels[index * 3 + 1] ?? 0) << 8) | (pixels[index * 3 + 2] ?? 0);
}

/**
 * Cuts the box with the most error in two until there are as many boxes as a palette has places.
 * @param {Uint8Array} pixels
 */
function fewColours(pixels) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (let index = 0; index < pixels.length / 3; index++) {
    const colour = colourAt(pixels, index);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const boxes = [boxOf([...counts].map(([colour, count]) => ({ rgb: channels(colour), colour, count })))];
  while (boxes.length < COLOURS) {
    boxes.sort((a, b) => b.error - a.error);
    const worst = boxes[0];
    if (!worst || worst.error === 0) break;
    const { colours, widest, mean } = worst;
    const [low, high] = [
      colours.filter(({ rgb }) => (rgb[widest] ?? 0) <= (mean[widest] ?? 0)),
      colours.filter(({ rgb }) => (rgb[widest] ?? 0) > (mean[widest] ?? 0)),
    ];
    if (low.length === 0 || high.length === 0) break;
    boxes.splice(0, 1, boxOf(low), boxOf(high));
  }
  /** @type {Map<number, number>} */
  const indexOf = new Map();
  boxes.forEach(({ colours }, index) => {
    for (const { colour } of colours) indexOf.set(colour, index);
  });
  return { palette: boxes.map(({ mean }) => mean.map(Math.round)), indexOf };
}

/** @param {number} colour */
function channels(colour) {
  return [colour >> 16, (colour >> 8) & 255, colour & 255];
}

/** @param {{ rgb: number[], colour: number, count: number }[]} colours */
function boxOf(colours) {
  const total = colours.reduce((sum, { count }) => sum + count, 0);
  const mean = [0, 1, 2].map(
    (channel) => colours.reduce((sum, { rgb, count }) => sum + (rgb[channel] ?? 0) * count, 0) / total,
  );
  const errors = [0, 1, 2].map((channel) =>
    colours.reduce((sum, { rgb, count }) => sum + ((rgb[channel] ?? 0) - (mean[channel] ?? 0)) ** 2 * count, 0),
  );
  const error = errors.reduce((sum, one) => sum + one, 0);
  return { colours, mean, error, widest: errors.indexOf(Math.max(...errors)) };
}
