import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeCollector, type FakeCollector } from './fakeCollector.testkit.ts';

let there: FakeCollector;
let project = '';
beforeEach(() => {
  there = fakeCollector();
  project = path.join(there.home, 'project');
  mkdirSync(path.join(project, '.git'), { recursive: true });
});
afterEach(() => there.end());

function mascot(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const scene = there.scene(env);
  scene.cwd = project;
  return scene.run('report', ...args);
}
const asked = () => there.asked.map((one) => one.path);

test('EVT-1 HKI-9 report prints the Markdown of the session that is named, else of its own, without a control character', async () => {
  await there.serve(() => '# Report\n\n> a\u001b[2J\u202eb');
  const named = await mascot(['a/b'], { MASCOT_SESSION_ID: 's-1' });
  expect([named.code, named.out]).toEqual([0, '# Report\n\n> a [2J b']);
  await mascot([], { MASCOT_SESSION_ID: 's-1' });
  expect(asked()).toEqual(['/api/sessions/a%2Fb/report?format=markdown', '/api/sessions/s-1/report?format=markdown']);
});

test('EVT-1 HKI-9 report is else of the newest session of the project around, and --json prints the JSON', async () => {
  await there.serve(({ path: route }) => {
    if (route.startsWith('/api/tracking')) return { mode: 'off', project: '/p' };
    return route.startsWith('/api/sessions?') ? { items: [{ id: 's-9' }], next: null } : { session: { id: 's-9' } };
  });
  const { code, out } = await mascot(['--json']);
  expect([code, JSON.parse(out)]).toEqual([0, { session: { id: 's-9' } }]);
  expect(asked()).toEqual([
    `/api/tracking?project=${encodeURIComponent(project)}`,
    '/api/sessions?project=%2Fp&limit=1',
    '/api/sessions/s-9/report',
  ]);
});

test.each([
  [[], { items: [], next: null }, 1, /there is no session of .*project yet; "mascot sessions" lists/],
  [['s'], [404, { error: 'no session has this id' }], 1, /^mascot: no session has this id$/],
  [['s'], [404, { ok: false, error: 'not found' }], 1, /is older than this command/],
  [['a', 'b'], {}, 2, /"b" is not understood here/],
  [['--project', 'nowhere'], {}, 2, /there is no folder/],
])('EVT-1 HKI-9 report %j answered by %j says what is wrong', async (args, answer, code, words) => {
  await there.serve(({ path: route }) => (route.startsWith('/api/tracking') ? [404, {}] : answer));
  const ran = await mascot(args);
  expect([ran.code, ran.out, ran.complaints]).toEqual([code, '', expect.stringMatching(words)]);
});
