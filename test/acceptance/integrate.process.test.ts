import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { useForwarder, writePortFile } from '../../forwarder/forwarder.testkit.ts';
import { useOutside } from './acceptance.testkit.ts';

const { open } = useOutside();
const { bundles, home } = useForwarder();

/** The page's examples as one script; a stream, which never ends by itself, is closed after a second. */
function examples(): string {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/integrate.md'), 'utf8');
  const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, script]) => script);
  return `set -e
curl() { case "$*" in
  */api/events*) command curl -sSf -m 1 "$@" || [ $? = 28 ] ;;
  *) command curl -sSf "$@" ;;
esac; }
${blocks.join('\n')}`;
}

test('A9-doc X-name every example of docs/integrate.md works as described', async () => {
  const { collector, token, agents, sessions } = await open({ open: true });
  writePortFile(home(), collector.port, { token });
  const script = examples().replaceAll('~/.agent-mascot/bin/forward-to-mascot.mjs', `"${bundles().forwarder}"`);
  const env = { PATH: process.env['PATH'], HOME: home(), AGENT_MASCOT_HOME: home() };
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', script], { env });
  expect(stderr).not.toMatch(/curl: \((?!28\))/);
  expect(stdout).toMatch(/\{"ok":true,"id":"\w+".*"context":".*\{"said":false\}.*event: snapshot/s);
  expect((await agents()).map(({ id }) => id)).toEqual(expect.arrayContaining(['my-project/worker-01']));
  expect((await sessions()).map(({ id }) => id)).toEqual(expect.arrayContaining(['demo', 's1']));
});
