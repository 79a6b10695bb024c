import { expect, test } from 'vitest';
import type { Agent } from '../../src/protocol/state.ts';
import { anAgent } from '../../test/webview/fixtures.ts';
import { arriving, departing } from './departures.ts';

const here = anAgent({ id: 'a', sessionId: 's' });
const absent = { ...here, present: false };
const nobody: ReadonlyMap<string, Agent> = new Map();
const only = (agent: Agent): ReadonlyMap<string, Agent> => new Map([[agent.id, agent]]);

const table: readonly (readonly [
  string,
  ReadonlyMap<string, Agent>,
  ReadonlyMap<string, Agent>,
  ReadonlyMap<string, Agent>,
  readonly string[],
])[] = [
  ['one that became absent', nobody, only(here), only(absent), ['a']],
  ['one that was removed', nobody, only(here), nobody, ['a']],
  ['one that stays', nobody, only(here), only(here), []],
  ['one that was never there', nobody, only(absent), only(absent), []],
  ['one that goes already', only(absent), only(absent), only(absent), ['a']],
  ['one that came back', only(absent), only(absent), only(here), []],
];
for (const [name, going, before, after, expected] of table) {
  test(`UI-2 ${name}: ${expected.length} seen going`, () => {
    const result = departing(going, before, after);
    expect([...result.keys()]).toEqual(expected);
    expect([...result.values()].every((agent) => !agent.present)).toBe(true);
  });
}

const comings: readonly (readonly [string, readonly string[], typeof nobody, typeof nobody, readonly string[]])[] = [
  ['one that was unknown', [], nobody, only(here), ['a']],
  ['one that comes back', [], only(absent), only(here), ['a']],
  ['one that was there', [], only(here), only(here), []],
  ['one that comes already', ['a'], only(here), only(here), ['a']],
  ['one that left at once', ['a'], only(here), only(absent), []],
];
for (const [name, coming, before, after, expected] of comings) {
  test(`UI-2 ${name}: ${expected.length} seen coming`, () => {
    expect([...arriving(new Set(coming), before, after)]).toEqual(expected);
  });
}
