/**
 * Activates the built extension where `vscode` is only a name: argv is the build, and how long to wait before `deactivate`, or that
 * what it shares with other programs is not there.
 */
const Module = require('node:module');
const path = require('node:path');

const { HOME: home = '', AGENT_MASCOT_HOME: mascotHome = '' } = process.env;
const [, , dist = '', life] = process.argv;

/**
 * An object whose every property exists, can be called and constructed, and does nothing.
 * @param {Record<string | symbol, unknown>} known
 * @returns {any}
 */
function anything(known = {}) {
  return new Proxy(function () {}, {
    get: (target, name) => {
      if (Object.hasOwn(known, name)) return known[name];
      if (name === 'then' || name === '__esModule') return undefined;
      if (name === Symbol.iterator) return [][Symbol.iterator].bind([]);
      if (name === Symbol.toPrimitive) return () => '';
      return Object.hasOwn(target, name) ? Reflect.get(target, name) : anything();
    },
    // A function's own name can't be set, and a class would throw.
    set: () => true,
    apply: () => anything(),
    construct: () => anything(),
  });
}

/** @type {string[]} */
const shown = [];
const nothing = () => undefined;
/** @type {(name: string, usual: unknown) => unknown} */
const usually = (_name, usual) => usual;
const vscode = anything({
  env: anything({ appName: 'stand-in', language: 'en' }),
  l10n: { t: (/** @type {string} */ text, /** @type {unknown} */ places) => `${text} ${JSON.stringify(places ?? {})}` },
  workspace: anything({
    workspaceFolders: [],
    getConfiguration: () => ({ get: nothing, inspect: nothing }),
  }),
  window: anything({
    terminals: [],
    state: { focused: true },
    showErrorMessage: async (/** @type {string} */ text) => void shown.push(text),
  }),
});
const load = Reflect.get(Module, '_load');
/** @type {(name: string, ...rest: unknown[]) => unknown} */
const loadOrStandIn = (name, ...rest) => {
  if (life === 'without its parts' && name.includes('parts/startWindow'))
    throw new Error(`Cannot find module '${name}'\nRequire stack`);
  return name === 'vscode' ? vscode : load(name, ...rest);
};
Reflect.set(Module, '_load', loadOrStandIn);

const extension = require(path.join(dist, 'extension.js'));
const loadedAtFirst = Object.keys(require.cache).filter((file) => file.startsWith(dist)).length;
const activated = extension.activate({
  subscriptions: [],
  extensionPath: path.dirname(dist),
  extensionUri: anything(),
  globalStorageUri: { fsPath: path.join(home, 'storage') },
  globalState: anything({ get: usually }),
  workspaceState: anything({ get: usually }),
  secrets: { get: async () => undefined, onDidChange: () => ({ dispose: nothing }) },
});
const loadedOnReturn = Object.keys(require.cache).filter((file) => file.startsWith(dist)).length;

async function main() {
  let isStarted = false;
  activated.then(() => (isStarted = true), nothing);
  if (life === 'until it owns') {
    const { snapshot } = await activated;
    while (snapshot().owner === null) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const portFile = path.join(mascotHome, 'collector.json');
  const { existsSync } = require('node:fs');
  const ran = existsSync(portFile);
  await extension.deactivate();
  const endedWhatStarted = isStarted;
  const left = [portFile, path.join(mascotHome, 'owner.json')].filter((file) => existsSync(file));
  process.stdout.write(JSON.stringify({ loadedAtFirst, loadedOnReturn, ran, endedWhatStarted, left, shown }));
  process.exit();
}
void main();
