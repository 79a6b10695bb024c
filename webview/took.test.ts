import { expect, test } from 'vitest';
import type { Agent, Mood } from '../src/protocol/state.ts';
import { panelWords } from '../src/vscode/panelWords.ts';
import { formatsOf } from './formats.ts';
import { aSession, anAgent } from '../test/webview/fixtures.ts';
import { tookChangesAt, tookWords } from './took.ts';

const start = Date.parse('2026-01-01T00:00:00Z');
const since = new Date(start).toISOString();
const session = aSession({ id: 's' });
const doing = (mood: Mood): Agent =>
  anAgent({ id: 'a', sessionId: 's', mood, activity: { tool: 'Bash', mood, target: 'npm test', since } });
const waiting = anAgent({ id: 'a', sessionId: 's', mood: 'waiting', wait: { kind: 'permission', since } });

const told: readonly (readonly [string, Agent, number, string, string])[] = [
  ['too short to tell', doing('running'), 2.9, '', ''],
  ['a command', doing('running'), 12.9, '12 s', ''],
  ['a long one', doing('running'), 125, '2 min', '2 min'],
  ['a very long one', doing('running'), 3_700, '1 h', '1 h'],
  ['a thought', doing('thinking'), 125, '', ''],
  ['a clock that is ahead', doing('running'), -5, '', ''],
  ['a wait that has just begun', waiting, 59, '', ''],
  ['a wait', waiting, 125, '2 min', '2 min'],
  ['a failure', { ...doing('running'), mood: 'hurt' }, 125, '', ''],
];
for (const [what, agent, seconds, fine, coarse] of told) {
  test(`UI-2 ${what} of ${seconds} s: "${fine}", in a crowd "${coarse}"`, () => {
    const speech = { strings: panelWords, formats: formatsOf('en'), now: start + seconds * 1_000 };
    expect([tookWords(speech, agent, session), tookWords(speech, agent, session, true)]).toEqual([fine, coarse]);
  });
}

for (const coarse of [false, true]) {
  for (const agent of [doing('running'), waiting]) {
    test(`UI-8 ${agent.mood}${coarse ? ' in a crowd' : ''}: between two changes that are foretold the words stay`, () => {
      let now = start;
      let changes = 0;
      while (now < start + 3 * 3_600_000) {
        const next = tookChangesAt(now, agent, session, coarse);
        if (next === undefined || next <= now) throw new Error(`no change after ${now - start} ms`);
        const words = (moment: number) =>
          tookWords({ strings: panelWords, formats: formatsOf('en'), now: moment }, agent, session, coarse);
        expect(words(next - 1)).toBe(words(now));
        now = next;
        changes += 1;
      }
      expect(changes).toBe(coarse || agent === waiting ? 62 : 119);
    });
  }
}
