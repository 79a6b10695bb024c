import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { boundedId } from '../../domain/normalize.ts';
import { HAND_OVER_FIRST } from '../../protocol/handOver.ts';
import { findSpooled, removeSpooled } from './spoolErase.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'spool-erase-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function eraseSpooled(of: string, sessionId: string): Promise<readonly string[]> {
  const { names, left } = await findSpooled(of, sessionId);
  return [...left, ...(await removeSpooled(of, names))];
}

const put = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
const hook = (more: object) => JSON.stringify({ hook_event_name: 'UserPromptSubmit', cwd: '/p', ...more });
const handedOver = (payload: string) =>
  `${[HAND_OVER_FIRST, 'ppid=1', 'provider=claude'].join('\0')}\0\0${payload}\0\n`;

test('CNV-4 of what waits only the session’s own goes, however alike another’s id is and whatever it says', async () => {
  put('1-a.json', hook({ session_id: 's1', prompt: 'x' }));
  put('2-b.json', hook({ session_id: 's10', prompt: 'tell me of "s1"' }));
  put('3-c.hook', handedOver(hook({ session_id: 's1' })));
  put('4-d.hook', handedOver(hook({ session_id: 's10', prompt: 's1' })));
  expect(await eraseSpooled(folder, 's1')).toEqual([]);
  expect(readdirSync(folder)).toEqual(['2-b.json', '4-d.hook']);
});

test('CNV-4 an agent that writes its session’s id in its own way is understood as when it is taken in', async () => {
  put('1-a.json', hook({ sessionId: 's1', _meta: { provider: 'copilot' } }));
  put('2-b.json', hook({ sessionId: 's10', _meta: { provider: 'copilot' } }));
  const long = 'l'.repeat(1_000);
  put('3-c.json', hook({ session_id: long }));
  put('4-d.json', hook({ _meta: { terminal_session_id: 'tty-1' } }));
  put('5-e.json', hook({ _meta: { terminal_session_id: 'tty-10' } }));
  await eraseSpooled(folder, 's1');
  await eraseSpooled(folder, 'unknown:tty-1');
  await eraseSpooled(folder, boundedId(long));
  expect(readdirSync(folder)).toEqual(['2-b.json', '5-e.json']);
});

test('CNV-4 what is not whole goes where it names the session exactly', async () => {
  put('.1-a.json.tmp', hook({ session_id: 's1', prompt: 'x' }).slice(0, -3));
  put('.2-b.json.tmp', hook({ session_id: 's10', prompt: 's1' }).slice(0, -3));
  expect(await eraseSpooled(folder, 's1')).toEqual([]);
  expect(readdirSync(folder)).toEqual(['.2-b.json.tmp']);
});
