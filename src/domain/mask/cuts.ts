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

const longestTail = 4096;

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
  for (let at = start; at < end - 3; at += 1) {
    if (isAlphanumericAt(text, at - 1) && !(text[at - 2] === '\\' && /[nrt]/.test(text.charAt(at - 1)))) continue;
    const shape = shapesByPair
      .get(pairOf(text, at))
      ?.find(({ prefix }) => at + prefix.length < end && text.startsWith(prefix, at));
    if (shape !== undefined && isBeginning(shape, text.slice(at + shape.prefix.length, end)))
      return { start: at, end, kind: shape.kind };
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
