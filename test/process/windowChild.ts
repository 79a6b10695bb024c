/** One window without its editor: the real claims, links and owner's world on a given home. Says what becomes of it in lines of JSON. */
import { createInterface } from 'node:readline';
import { startMembership } from '../../src/app/membership.ts';
import { createClaims } from '../../src/node/cluster/claim.ts';
import { createOwnerLinks } from '../../src/node/cluster/ownerLink.ts';
import { homeAt, prepareHome } from '../../src/node/machine/home.ts';
import { createOwnerWorld } from '../../src/node/ownerWorld.ts';
import { settingsSchema } from '../../src/protocol/settings.ts';
import { tellParent } from './tellParent.testkit.ts';
import type { WindowOptions } from './windows.testkit.ts';

const options = JSON.parse(process.argv[2] ?? '') as WindowOptions;
const home = homeAt(options.home);
const { app, version } = options;

// What the test reads of a window that it kills was said before.
function say(line: Record<string, unknown>): void {
  tellParent(`${JSON.stringify({ at: Date.now(), ...line })}\n`);
}

const noted = (level: string) => (message: string) => say({ kind: 'log', level, message });
const log = { debug: () => undefined, info: noted('info'), warn: noted('warn'), error: noted('error') };

function open() {
  const membership = startMembership({
    world: createOwnerWorld({
      home,
      storage: options.storage,
      assets: options.assets,
      app,
      version,
      log,
      settings: () => settingsSchema.parse({}),
      anyPort: true,
    }),
    claims: createClaims(home, () => prepareHome(home)),
    links: createOwnerLinks(home, { app, version }),
    tickMs: options.tickMs,
    onOwner: () => say({ kind: 'owner', generation: membership.snapshot().owner?.generation }),
    onFailure: (error) => say({ kind: 'failure', message: String(error) }),
  });
  membership.onChange((change) => {
    if (change.type !== 'reset') return;
    const { owner, sessions } = membership.snapshot();
    say({ kind: 'shown', status: membership.status(), instance: owner?.instance, sessions: sessions.length });
  });
  return membership;
}

let membership = open();
say({ kind: 'open' });

createInterface({ input: process.stdin }).on('line', (line) => void obey(line));
process.once('SIGTERM', () => void membership.stop().then(() => process.exit(0)));

async function obey(order: string): Promise<void> {
  if (order === 'state') {
    say({ kind: 'state', status: membership.status(), owns: membership.owns(), state: membership.snapshot() });
  } else if (order === 'standing') {
    const { revision, owner } = membership.snapshot();
    say({
      kind: 'standing',
      status: membership.status(),
      owns: membership.owns(),
      revision,
      instance: owner?.instance,
    });
  } else if (order === 'close') {
    await membership.stop();
    say({ kind: 'closed' });
  } else if (order === 'open') {
    membership = open();
  } else if (order.startsWith('block ')) {
    // As another extension in the same host would.
    const until = Date.now() + Number(order.slice('block '.length));
    while (Date.now() < until);
    say({ kind: 'unblocked' });
  }
}
