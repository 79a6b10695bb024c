import type { JsonObject } from '../../protocol/json.ts';
import { tooDeep } from '../depth.ts';
import { isAlphanumericAt, isWordAt } from './chars.ts';
import { looksRandom } from './entropy.ts';
import { dottedShapes, jointShapes, tokenShapes } from './providers.ts';
import type { TokenShape } from './providers.ts';
import type { Span } from './span.ts';

/** How the forwarder marks the place where it left out the middle of a long text. */
const cutNote = '\n[agent-mascot: ';

export function isCutAt(text: string, at: number): boolean {
  return text.startsWith(cutNote, at);
}

/** In a text it has a line of its own; an entry that stands for others is nothing else. */
const wholeNote = /(?:^|\n)\[agent-mascot: [^[\]\n]{1,60} cut\](?:\n|$)/;

/** The first place where something was cut out of the text, with the line that says so. */
export function cutIn(text: string): Pick<Span, 'start' | 'end'> | undefined {
  const note = wholeNote.exec(text);
  return note === null ? undefined : { start: note.index, end: note.index + note[0].length };
}

export function wasCut(text: string): boolean {
  return text === tooDeep || cutIn(text) !== undefined;
}

/** The key under which the forwarder notes that an object had more entries. */
const lostKey = '(cut)';

export function hasLostEntries(object: JsonObject): boolean {
  const note = Object.hasOwn(object, lostKey) ? object[lostKey] : undefined;
  return typeof note === 'string' && wasCut(note);
}

const longestTail = 4096;
/** No run holds more that could begin a key, unless it is made to. */
const mostBeginnings = 32;

/** Beginnings that nothing but a key has, so that the next letters are one's whatever they are. */
const unmistakable =
  /^(?:sk-(?:ant|or|proj|svcacct|admin)-|AIza|GOCSPX-|AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|gldt-|glrt-|xox[a-z]-|xapp-|[rs]k_live_|whsec_|do[opr]_v1_|shp(?:at|ca|pa|ss|tka)_|lin_(?:api|oauth)_|sntry[su]_|gsk_|sbp_|sb_secret_|nvapi-|pplx-|tskey-|dckr_[op]at_|glsa_|ATATT3|AGE-SECRET-KEY-1|figd_|PMAK-|NRAK-|SG\.|hv[sbr]\.|ya29\.|dp\.(?:pt|ct|sa|st)\.)/;

function pairOf(text: string, at: number): number {
  return text.charCodeAt(at) * 128 + text.charCodeAt(at + 1);
}

function byFirstPair(shapes: readonly TokenShape[]): ReadonlyMap<number, readonly TokenShape[]> {
  const groups = new Map<number, TokenShape[]>();
  for (const shape of shapes) {
    const group = groups.get(pairOf(shape.prefix, 0));
    if (group === undefined) groups.set(pairOf(shape.prefix, 0), [shape]);
    else group.push(shape);
  }
  return groups;
}

const shapesByPair = byFirstPair(
  [...tokenShapes, ...dottedShapes, ...jointShapes].filter(({ prefix }) => prefix.length > 1),
);

/** What follows `eyJ` in the base64 of `{"alg":`, `{"typ":`, `{"kid":`, `{"enc":`, `{"cty":`, `{"x5t":`, `{"jku":`, `{"jwk":`. */
const headOfJwt = ['hbGc', '0eXAi', 'raWQ', 'lbmMi', 'jdHki', '4NXQ', 'qa3Ui', 'qd2si'];

const filler = /^[xX0*._-]*$/;

function isBeginning({ kind, prefix }: TokenShape, rest: string): boolean {
  if (rest.length < 2 || filler.test(rest)) return false;
  if (kind === 'jwt') return headOfJwt.some((head) => rest.startsWith(head) || head.startsWith(rest));
  return unmistakable.test(prefix) || (rest.length >= 10 && looksRandom(rest));
}

function cutTokenBefore(text: string, end: number): Span | undefined {
  const floor = Math.max(0, end - longestTail);
  let start = end;
  while (start > floor && (isWordAt(text, start - 1) || text[start - 1] === '.')) start -= 1;
  let beginnings = 0;
  for (let at = start; at < end - 3 && beginnings < mostBeginnings; at += 1) {
    if (isAlphanumericAt(text, at - 1) && !(text[at - 2] === '\\' && /[nrt]/.test(text.charAt(at - 1)))) continue;
    const shape = shapesByPair
      .get(pairOf(text, at))
      ?.find(({ prefix }) => at + prefix.length < end && text.startsWith(prefix, at));
    if (shape === undefined) continue;
    beginnings += 1;
    if (isBeginning(shape, text.slice(at + shape.prefix.length, end))) return { start: at, end, kind: shape.kind };
  }
  return undefined;
}

/** Beginnings of keys right where the text was cut or ends: what would tell them apart from names may be what is missing. */
export function findCutTokens(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (let cut = text.indexOf(cutNote); cut !== -1; cut = text.indexOf(cutNote, cut + 1)) {
    const span = cutTokenBefore(text, cut);
    if (span !== undefined) spans.push(span);
  }
  const last = cutTokenBefore(text, text.length);
  return last === undefined ? spans : [...spans, last];
}
