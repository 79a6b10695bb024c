/// <reference types="./jsoncScanner.d.ts" />
import { createScanner } from 'jsonc-parser/lib/esm/impl/scanner.js';
import type { Refusal } from './settingsEdit.ts';

/** A value's place in the text. `members` of an object or an array, in their order, repeated keys included. */
export interface SettingsNode {
  readonly kind: 'object' | 'array' | 'string' | 'other';
  readonly start: number;
  readonly end: number;
  readonly members: readonly Member[];
}

/** A property (from its key on) or an element. */
export interface Member {
  readonly key: string | undefined;
  readonly start: number;
  readonly end: number;
  readonly value: SettingsNode;
}

export interface SettingsText {
  readonly text: string;
  /** Undefined: nothing but white space, which counts as `{}`. */
  readonly root: SettingsNode | undefined;
}

interface Growing extends SettingsNode {
  end: number;
  readonly members: Member[];
}

type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'nothing';
type Reason = Refusal['reason'];

interface Frame {
  readonly node: Growing;
  key: string | undefined;
  start: number;
}

/** Nobody's settings nest deeper; what does is not worth the stack of whoever reads it next. */
const DEPTH_MAX = 500;
const BOM = '\uFEFF';

/** Of the package's kinds of tokens (a `const enum`, which can't be imported); the others are told by their first character. */
const kinds = { lineComment: 12, blockComment: 13, lineBreak: 14, whiteSpace: 15, unknown: 16, end: 17 } as const;

/** HKI-2: as the agents read it, which is strict JSON after an optional BOM. What they refuse is refused, with its place. */
export function readSettings(text: string): SettingsText | Refusal {
  const first = text.startsWith(BOM) ? BOM.length : 0;
  if (isBlank(text, first)) return { text, root: undefined };
  const found = createReader(text, first).read();
  if ('reason' in found) return refusalAt(text, found.reason, found.at);
  const unread = whatJsonRefuses(text, first);
  return unread === undefined ? { text, root: found } : refusalAt(text, 'syntax', unread);
}

/** `line` and `column` as an editor counts them: a BOM takes no column, and a lone CR ends a line. */
export function refusalAt(text: string, reason: Reason, at: number, event?: string): Refusal {
  const before = text.slice(text.startsWith(BOM) ? BOM.length : 0, at);
  const lines = before.split(/\r\n|\n|\r/);
  const place = { reason, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
  return event === undefined ? place : { ...place, event };
}

/** Of repeated keys the last counts, as for every agent. */
export function lastMember(node: SettingsNode, key: string): SettingsNode | undefined {
  return node.members.findLast((member) => member.key === key)?.value;
}

function isBlank(text: string, from: number): boolean {
  return /^[ \t\r\n]*$/.test(text.slice(from));
}

/** The scanner is made for a looser language; whatever it should let through is caught here. */
function whatJsonRefuses(text: string, first: number): number | undefined {
  try {
    JSON.parse(text.slice(first));
    return undefined;
  } catch (error) {
    const position = /at position (\d{1,15})/.exec(String(error))?.[1];
    return first + Math.min(Number(position ?? 0), text.length - first);
  }
}

/** Not `parseTree`: that one recurses, and goes on after what an agent would stumble over. */
function createReader(text: string, first: number) {
  const scanner = createScanner(text, false);
  const stack: Frame[] = [];
  let expected: Expected = 'value';
  let comma = 0;
  let root: SettingsNode | undefined;

  return { read };

  function read(): SettingsNode | { readonly reason: Reason; readonly at: number } {
    scanner.setPosition(first);
    for (;;) {
      const kind = scanner.scan();
      const at = scanner.getTokenOffset();
      if (kind === kinds.whiteSpace || kind === kinds.lineBreak) continue;
      if (kind === kinds.end) return expected === 'nothing' && root ? root : { reason: 'syntax', at };
      if (kind === kinds.lineComment || kind === kinds.blockComment) return { reason: 'comment', at };
      if (kind === kinds.unknown || scanner.getTokenError() !== 0) return { reason: 'syntax', at };
      const reason = take(at);
      if (reason !== undefined) return { reason, at: reason === 'trailing-comma' ? comma : at };
    }
  }

  function take(at: number): Reason | undefined {
    switch (text[at]) {
      case '{':
        return open('object', at);
      case '[':
        return open('array', at);
      case '}':
        return close('object', at);
      case ']':
        return close('array', at);
      case ',':
        comma = at;
        return follow('comma-or-end', stack.at(-1)?.node.kind === 'object' ? 'key' : 'value');
      case ':':
        return follow('colon', 'value');
      case '"':
        return string(at);
      default:
        return leaf('other', at);
    }
  }

  function follow(now: Expected, next: Expected): Reason | undefined {
    if (expected !== now) return 'syntax';
    expected = next;
    return undefined;
  }

  function expectsValue(): boolean {
    return expected === 'value' || expected === 'value-or-end';
  }

  function tokenEnd(at: number): number {
    return at + scanner.getTokenLength();
  }

  function string(at: number): Reason | undefined {
    const frame = stack.at(-1);
    if (!frame || (expected !== 'key' && expected !== 'key-or-end')) return leaf('string', at);
    frame.key = scanner.getTokenValue();
    frame.start = at;
    expected = 'colon';
    return undefined;
  }

  function leaf(kind: 'string' | 'other', at: number): Reason | undefined {
    if (!expectsValue()) return 'syntax';
    add({ kind, start: at, end: tokenEnd(at), members: [] });
    return undefined;
  }

  function open(kind: 'object' | 'array', at: number): Reason | undefined {
    if (!expectsValue()) return 'syntax';
    if (stack.length >= DEPTH_MAX) return 'too-deep';
    stack.push({ node: { kind, start: at, end: at, members: [] }, key: undefined, start: at });
    expected = kind === 'object' ? 'key-or-end' : 'value-or-end';
    return undefined;
  }

  function close(kind: 'object' | 'array', at: number): Reason | undefined {
    const node = stack.at(-1)?.node;
    if (node?.kind !== kind) return 'syntax';
    // Only a comma leads here: after a colon an object expects a value.
    if (expected === (kind === 'object' ? 'key' : 'value')) return 'trailing-comma';
    if (expected === 'colon' || expected === 'value') return 'syntax';
    stack.pop();
    node.end = tokenEnd(at);
    add(node);
    return undefined;
  }

  function add(value: SettingsNode): void {
    const frame = stack.at(-1);
    if (!frame) {
      root = value;
      expected = 'nothing';
      return;
    }
    const isObject = frame.node.kind === 'object';
    const start = isObject ? frame.start : value.start;
    frame.node.members.push({ key: isObject ? frame.key : undefined, start, end: value.end, value });
    expected = 'comma-or-end';
  }
}
