/** Compares pictures by their pixels. Runs in the page, which can decode a PNG; tests call it by `window.pictureTools`. */
import { linear, seenBy, type Sight, type Triple } from './sight.ts';

/** A sheet of square tiles, as an eye sees it. */
interface Sheet {
  readonly colours: Float32Array;
  readonly width: number;
  readonly height: number;
}

/** By row and column. */
type Place = readonly [row: number, column: number];

export interface TileDifference {
  readonly place: Place;
  /** Of its pixels, 0 to 1. */
  readonly share: number;
}

export interface Pair {
  readonly row: number;
  readonly columns: readonly [number, number];
  /** Of the pixels that differ, 0 to 1. */
  readonly share: number;
}

async function look(base64: string, sight: Sight): Promise<Sheet> {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('This browser has no canvas.');
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const lights = Float32Array.from({ length: 256 }, (_, channel) => linear(channel));
  const light = (at: number): number => lights[data[at] ?? 0] ?? 0;
  // A drawing has few colours, and what an eye makes of one costs more than all else here.
  const known = new Map<number, Triple>();
  const colours = new Float32Array(width * height * 3);
  for (let from = 0, to = 0; to < colours.length; from += 4, to += 3) {
    const name = ((data[from] ?? 0) << 16) | ((data[from + 1] ?? 0) << 8) | (data[from + 2] ?? 0);
    let colour = known.get(name);
    if (!colour) {
      colour = seenBy(sight, [light(from), light(from + 1), light(from + 2)]);
      known.set(name, colour);
    }
    colours.set(colour, to);
  }
  return { colours, width, height };
}

/** The share of pixels whose colours are further apart than `visible`. */
function difference(
  [one, place]: readonly [Sheet, Place],
  [other, otherPlace]: readonly [Sheet, Place],
  side: number,
  visible: number,
): number {
  const [a, b] = [one.colours, other.colours];
  let count = 0;
  for (let y = 0; y < side; y += 1) {
    let i = ((place[0] * side + y) * one.width + place[1] * side) * 3;
    let j = ((otherPlace[0] * side + y) * other.width + otherPlace[1] * side) * 3;
    for (let x = 0; x < side; x += 1, i += 3, j += 3) {
      const lightness = (a[i] ?? 0) - (b[j] ?? 0);
      const green = (a[i + 1] ?? 0) - (b[j + 1] ?? 0);
      const blue = (a[i + 2] ?? 0) - (b[j + 2] ?? 0);
      if (lightness * lightness + green * green + blue * blue > visible * visible) count += 1;
    }
  }
  return count / (side * side);
}

/** Two sheets of the same grid: the tiles that differ, the most different first; or in words, why they can't be compared. */
async function compareSheets(
  one: string,
  other: string,
  { side, visible }: { readonly side: number; readonly visible: number },
): Promise<readonly TileDifference[] | string> {
  const [left, right] = [await look(one, 'full'), await look(other, 'full')];
  if (left.width !== right.width || left.height !== right.height)
    return `${left.width} × ${left.height} pixels against ${right.width} × ${right.height}`;
  const found: TileDifference[] = [];
  for (let row = 0; row < left.height / side; row += 1) {
    for (let column = 0; column < left.width / side; column += 1) {
      const place: Place = [row, column];
      const share = difference([left, place], [right, place], side, visible);
      if (share > 0) found.push({ place, share });
    }
  }
  return found.sort((a, b) => b.share - a.share);
}

/** Every two tiles of a row, the most alike first. */
async function pairsInRows(
  sheet: string,
  { side, sight, visible }: { readonly side: number; readonly sight: Sight; readonly visible: number },
): Promise<readonly Pair[]> {
  const seen = await look(sheet, sight);
  const [rows, columns] = [seen.height / side, seen.width / side];
  const pairs: Pair[] = [];
  for (let row = 0; row < rows; row += 1) {
    for (let first = 0; first < columns; first += 1) {
      for (let second = first + 1; second < columns; second += 1) {
        const share = difference([seen, [row, first]], [seen, [row, second]], side, visible);
        pairs.push({ row, columns: [first, second], share });
      }
    }
  }
  return pairs.sort((a, b) => a.share - b.share);
}

export const pictureTools = { compareSheets, pairsInRows };
