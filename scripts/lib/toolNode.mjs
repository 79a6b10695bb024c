/** The Node that the project runs its tools on, whatever Node the machine has. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const LEAST_MAJOR = 22;
const nodePackage = new RegExp(
  `^node-(?:bin-)?${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}$`,
);

/**
 * package.json names one package with a Node program per platform; npm installs only the fitting one.
 * @param {string} root
 * @returns {{ node: string, home: string | undefined }} `home` is that package's folder, with Node's headers inside
 */
export function toolNode(root) {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  for (const name of Object.keys(manifest.optionalDependencies ?? {}).filter((key) => nodePackage.test(key))) {
    const home = path.join(root, 'node_modules', name);
    const node = path.join(home, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    if (existsSync(node)) return { node, home };
  }
  if (Number.parseInt(process.versions.node, 10) >= LEAST_MAJOR) return { node: process.execPath, home: undefined };
  throw new Error(
    `The tools need Node ${LEAST_MAJOR} or newer; this is ${process.version}, and no Node package for ` +
      `${process.platform}-${process.arch} is in node_modules.\n` +
      'Run "npm ci" without --omit=optional, or install a newer Node and run this again.',
  );
}

/**
 * The environment for a child: the project's Node and tools come first on the PATH, and what npm tells its own scripts is gone
 * (a nested npm would take the outer project for its own).
 * @param {string} root
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {NodeJS.ProcessEnv}
 */
export function toolEnv(root, env = process.env) {
  const { node } = toolNode(root);
  const tools = [path.dirname(node), path.join(root, 'node_modules', '.bin')];
  return { ...withoutNpm(env), PATH: [...tools, pathWithoutNpm(env)].join(path.delimiter) };
}

/**
 * The person's own environment, as it was before npm added its part.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {NodeJS.ProcessEnv}
 */
export function personEnv(env = process.env) {
  return { ...withoutNpm(env), PATH: pathWithoutNpm(env) };
}

/** @param {NodeJS.ProcessEnv} env */
function withoutNpm(env) {
  // Settings such as npm_config_registry and npm_config_cache stay: they say how this machine reaches packages.
  const dropped =
    /^(npm_(lifecycle|package)_|npm_(command|execpath|node_execpath)$|npm_config_(local_|global_)?prefix$|INIT_CWD$|path$)/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !dropped.test(name)));
}

/** @param {NodeJS.ProcessEnv} env */
function pathWithoutNpm(env) {
  return (env.PATH ?? env.Path ?? '')
    .split(path.delimiter)
    .filter((part) => !/[\\/](node_modules[\\/]\.bin|node-gyp-bin)$/.test(part))
    .join(path.delimiter);
}
