import type { Json } from '../../protocol/json.ts';
import type { Member, SettingsNode, SettingsText } from './settingsText.ts';

/** Replaces what lies between two places of the original text. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A property (with its key) or an element that is to be written. */
export interface NewMember {
  readonly key?: string;
  readonly value: Json;
}

export interface Container {
  readonly node: SettingsNode;
  /** What contains it stands on one line, so what we put into an empty one should not break that line. */
  readonly inLine: boolean;
}

export interface Layout {
  readonly text: string;
  readonly endOfLine: string;
  readonly indent: string;
}

export function layoutOf({ text, root }: SettingsText): Layout {
  const endOfLine = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
  return { text, endOfLine, indent: (root && indentOf(text, root)) ?? '  ' };
}

/** By the first container whose members stand below it; whether they are properties or elements says nothing. */
function indentOf(text: string, root: SettingsNode): string | undefined {
  const waiting: SettingsNode[] = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const first = node.members[0];
    if (!first) continue;
    const inner = afterLastBreak(text.slice(node.start + 1, first.start));
    if (inner !== undefined) {
      const outer = lineIndent(text, node.start);
      if (inner.length > outer.length && inner.startsWith(outer)) return inner.slice(outer.length);
    }
    for (let index = node.members.length - 1; index >= 0; index--) {
      const value = node.members[index]?.value;
      if (value && value.members.length > 0) waiting.push(value);
    }
  }
  return undefined;
}

/** A value as it stands in a line that is indented by `base`; undefined: all on one line. */
export function written(layout: Layout, { key, value }: NewMember, base: string | undefined): string {
  const name = key === undefined ? '' : JSON.stringify(key);
  if (base === undefined) return (name && `${name}:`) + JSON.stringify(value);
  // A tab stands in no JSON text but as indentation, so the steps can be counted whatever the values hold.
  const lines = JSON.stringify(value, null, '\t').split('\n');
  const indented = lines.map((line) => {
    const depth = /^\t*/.exec(line)?.[0].length ?? 0;
    return layout.indent.repeat(depth) + line.slice(depth);
  });
  return (name && `${name}: `) + indented.join(layout.endOfLine + base);
}

/** What stands instead of a node or a member, in its place. */
export function replacement(layout: Layout, { start, end }: Member | SettingsNode, by: NewMember): Span {
  const base = isOneLine(layout, { start, end }) ? undefined : lineIndent(layout.text, start);
  return { start, end, text: written(layout, by, base) };
}

/** Takes members away and adds some at the end. A container that is left with none gets the white space `blank` back. */
export function editMembers(
  layout: Layout,
  container: Container,
  goes: (index: number) => boolean,
  added: readonly NewMember[],
  blank = '',
): readonly Span[] {
  const { node } = container;
  const { members } = node;
  const first = members[0];
  const last = members.at(-1);
  const kept = members.flatMap((_, index) => (goes(index) ? [] : [index]));
  if (!first || !last) return added.length > 0 ? [fill(layout, container, added)] : [];
  if (kept.length === 0 && added.length === 0) return [{ start: node.start + 1, end: node.end - 1, text: blank }];
  const gap = gapBefore(layout, node);
  const texts = added.map((member) => written(layout, member, gap.base));
  if (kept.length === 0) return [{ start: first.start, end: last.end, text: texts.join(`,${gap.text}`) }];
  const addition = texts.map((text) => `,${gap.text}${text}`).join('');
  return [...runs(members, kept), ...(addition ? [{ start: last.end, end: last.end, text: addition }] : [])];
}

/** Each run that goes takes the comma on its left with it; only the first run of all must take the one on its right. */
function runs(members: readonly Member[], kept: readonly number[]): readonly Span[] {
  const spans: Span[] = [];
  let before: Member | undefined;
  let from = 0;
  for (const index of [...kept, members.length]) {
    const lastGone = members[index - 1];
    const next = members[index];
    if (index > from && lastGone) {
      if (before) spans.push({ start: before.end, end: lastGone.end, text: '' });
      else if (next) spans.push({ start: members[from]?.start ?? next.start, end: next.start, text: '' });
    }
    before = next;
    from = index + 1;
  }
  return spans;
}

/** The white space between two members, after the comma. */
function gapBefore(
  layout: Layout,
  container: SettingsNode,
): { readonly text: string; readonly base: string | undefined } {
  const { text } = layout;
  const { members } = container;
  const last = members.at(-1);
  const previous = members.at(-2);
  const raw = last ? text.slice(previous ? previous.end : container.start + 1, last.start).replace(/^[^,]*,/, '') : '';
  if (isOneLine(layout, container)) return { text: previous ? raw : '', base: undefined };
  const indent = afterLastBreak(raw);
  if (indent !== undefined) return { text: layout.endOfLine + indent, base: indent };
  return { text: previous ? raw : ' ', base: lineIndent(text, last?.start ?? container.start) };
}

/*
 * A container that was there empty must come back with the white space that it had, and one that we made must go. So what we
 * put into one that was there is told from the other by the character before the first line break:
 *   `[`, break, …      we made it
 *   `[`, w, space, break, members, break, `]`     it was there; w, without a break, is the person's
 *   `[`, tab, break, members, w, `]`              it was there; w, with a break, is the person's
 *   `[`, w, space, members, `]`                   it was there, on a line with others
 * No formatter leaves such a blank; where one took it away, the container counts as ours, and it held nothing.
 */
function fill(layout: Layout, { node: container, inLine }: Container, added: readonly NewMember[]): Span {
  const { text, endOfLine, indent } = layout;
  const inside = { start: container.start + 1, end: container.end - 1 };
  const blank = text.slice(inside.start, inside.end);
  const outer = lineIndent(text, container.start);
  const lines = added.map((member) => endOfLine + outer + indent + written(layout, member, outer + indent)).join(',');
  if (/[\r\n]/.test(blank)) return { start: inside.start, end: inside.start, text: `\t${lines}` };
  if (inLine) {
    const compact = added.map((member) => written(layout, member, undefined)).join(',');
    return { start: inside.end, end: inside.end, text: ` ${compact}` };
  }
  return { start: inside.end, end: inside.end, text: ` ${lines}${endOfLine}${outer}` };
}

/** The white space that a container had before we filled it; undefined: we made it. */
export function blankBefore({ text }: Layout, container: SettingsNode): string | undefined {
  const first = container.members[0];
  const last = container.members.at(-1);
  if (!first || !last) return undefined;
  const head = text.slice(container.start + 1, first.start);
  const broken = /^([^\r\n]*)([ \t])(?:\r\n|\n|\r)[ \t]*$/.exec(head);
  if (!broken) return /^[ \t]* $/.test(head) ? head.slice(0, -1) : undefined;
  if (broken[2] === ' ') return broken[1];
  return broken[1] === '' ? text.slice(last.end, container.end - 1) : undefined;
}

export function isOneLine({ text }: Pick<Layout, 'text'>, { start, end }: { start: number; end: number }): boolean {
  return !/[\r\n]/.test(text.slice(start, end));
}

/** The blanks that the line of this place begins with. */
function lineIndent(text: string, at: number): string {
  const start = Math.max(text.lastIndexOf('\n', at - 1), text.lastIndexOf('\r', at - 1)) + 1;
  return /^\uFEFF?([ \t]*)/.exec(text.slice(start, at))?.[1] ?? '';
}

function afterLastBreak(blank: string): string | undefined {
  const at = Math.max(blank.lastIndexOf('\n'), blank.lastIndexOf('\r'));
  return at < 0 ? undefined : blank.slice(at + 1);
}

/** Spans must not overlap. */
export function apply(text: string, spans: readonly Span[]): string {
  const sorted = [...spans].sort((a, b) => a.start - b.start || a.end - b.end);
  let done = 0;
  const parts = sorted.flatMap((span) => {
    const before = text.slice(done, span.start);
    done = span.end;
    return [before, span.text];
  });
  return parts.join('') + text.slice(done);
}
