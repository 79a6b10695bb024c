import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Lab, startAgentLab } from '../agent-kit/lab.ts';
import { labLack, RELEASES } from '../agent-kit/program.mjs';

const lack = labLack('latest');

/** In parts, so that no scanner takes it for a leak. */
const key = ['gh', 'p_', 'k7Qm2VxT9sLw4RzB8nYc1HdJ6fPg3AeU5oXi'].join('');

const routes = [
  '',
  '/events',
  '/interactions',
  '/observations',
  '/statistics',
  '/session-events',
  '/story',
  '/explanation',
];

describe(`what Claude Code ${RELEASES.latest} is told, and what is kept of it`, () => {
  if (lack !== undefined) {
    test('the real program in its lab', ({ skip }) => skip(lack));
    return;
  }
  let lab: Lab;
  beforeAll(async () => {
    lab = await startAgentLab({ version: 'latest' });
  });
  afterAll(() => lab?.end());

  /** Files of the store and of our home; the agent's own are its own. */
  const filesWith = (text: string) =>
    [path.join(lab.folder, 'store'), path.join(lab.home, '.agent-mascot')].flatMap((folder) => {
      expect(existsSync(folder), folder).toBe(true);
      return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && readFileSync(path.join(entry.parentPath, entry.name)).includes(text))
        .map(({ name }) => name);
    });

  /** A whole run; gives all that can be asked for about its session, and what was shown of it. */
  async function told(prompt: string, over: string): Promise<string> {
    const { project } = await lab.print(prompt, { allow: ['Bash', 'Write'] });
    const { view } = await lab.watch.see({
      project,
      what: 'the end',
      after: 0,
      withinMs: 20_000,
      is: ({ sessions }) => sessions[0]?.state === 'completed',
    });
    const id = view.sessions[0]?.id ?? '';
    const asked = [...routes.map((route) => `/api/sessions/${id}${route}`), '/api/state', `/api/search?q=${over}`];
    const answers = await Promise.all(asked.map((route) => lab.get(route)));
    return JSON.stringify([view, lab.watch.stories(project), answers]);
  }

  // First, for the state tells of all sessions that there were.
  test('CNV-4 a prompt that begins with the marker, its calls and its reply are kept nowhere', async () => {
    const text = await told('[private] play:write-planted please, said-in-private', 'said-in-private');
    expect([filesWith('said-in-private'), text.includes('said-in-private')]).toEqual([[], false]);
    expect([filesWith('planted-name'), text.includes('planted-name')]).toEqual([[], false]);
    for (const word of ['planted-content', 'One file.', 'That is all.']) expect(text).not.toContain(word);
    expect(text).toContain('"toolCalls":1');
  });

  test('MSK-1 a key in a prompt is in no file of ours, on no wire and in nothing that is shown', async () => {
    const text = await told(`play:command please, with the key ${key}, said-openly`, 'said-openly');
    expect([filesWith(key), text.includes(key)]).toEqual([[], false]);
    expect(text).toContain('said-openly');
    expect(text).toContain('«masked:github-token»');
  });
});
