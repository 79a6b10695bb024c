import { startMembership } from './app/membership.ts';
import type { Log, OwnerLinks } from './app/ports.ts';
import { createClaims } from './node/cluster/claim.ts';
import { createOwnerLinks } from './node/cluster/ownerLink.ts';
import { type HeadlessOptions, headlessUsage, readCommandLine, UsageError } from './node/machine/commandLine.ts';
import { type Home, homeAt, prepareHome } from './node/machine/home.ts';
import { createOwnerWorld } from './node/ownerWorld.ts';

declare const __PRODUCT_VERSION__: string;

const app = 'headless';
const log = stderrLog();

function main(): void {
  const options = readCommandLine(process.argv.slice(2), process.env);
  if (options) run(options);
  else process.stdout.write(`${headlessUsage}\n`);
}

function run({ storage, home: folder, settings, capped, anyPort }: HeadlessOptions): void {
  for (const sentence of capped) log.warn(sentence);
  const home = homeAt(folder);
  const membership = startMembership({
    world: createOwnerWorld({
      home,
      storage,
      assets: __dirname,
      app,
      version: __PRODUCT_VERSION__,
      log,
      settings: () => settings,
      anyPort,
    }),
    claims: createClaims(home, () => prepareHome(home, log)),
    links: waitingLinks(home),
    onOwner(owner) {
      for (const sentence of owner.damage) log.warn(sentence);
      process.stdout.write(`${JSON.stringify({ ready: true, url: owner.url, portFile: home.portFile })}\n`);
    },
    onFailure(error) {
      log.error(String(error));
      process.exitCode = 1;
      stop();
    },
  });
  const keepAlive = setInterval(() => undefined, 60_000);
  const stop = () => void membership.stop().finally(() => clearInterval(keepAlive));
  process.once('SIGTERM', stop).once('SIGINT', stop);
}

/** There is nothing to show without an editor; following is how it knows at once when its turn has come. */
function waitingLinks(home: Home): OwnerLinks {
  const links = createOwnerLinks(home, { app, version: __PRODUCT_VERSION__ });
  let told = false;
  return {
    connect(handlers, instance) {
      if (!told)
        log.info(`Another process runs the collector of this home (see ${home.claim}); waiting for it to end.`);
      told = true;
      return links.connect(handlers, instance);
    },
  };
}

function stderrLog(): Log {
  const line = (level: string) => (message: string) => void process.stderr.write(`agent-mascot ${level}: ${message}\n`);
  return { debug: () => undefined, info: line('info'), warn: line('warning'), error: line('error') };
}

try {
  main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  log.error(`${error.message}\n\n${headlessUsage}`);
  process.exitCode = 2;
}
