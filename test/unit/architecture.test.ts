import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const sources = ['src', 'webview', 'forwarder'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/'))),
);

test('every source file sits in a layer', () => {
  const layered =
    /^(src\/(protocol|domain|app|node|vscode|cli)\/|src\/(extension|startWindow|headless|mascot|uninstall|composeHooks|composeWindow|composeOutlets)(\.test)?\.ts$|webview\/|forwarder\/)/;
  expect(sources.filter((file) => !layered.test(file))).toEqual([]);
});

/** What a file imports of our own files when it runs: types alone are not there then. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  const statements = text.matchAll(/^(?:import|export)\s+(?!type\s)(?:([^'";]*?)\s*from\s+)?'(\.[^']+)';/gm);
  const isOfTypes = (names = '') => /^\{\s*(type\s+[\w\s]+,?\s*)+\}$/.test(names);
  return [...statements]
    .filter(([, names]) => !isOfTypes(names))
    .map(([, , place = '']) => path.posix.join(path.posix.dirname(file), place));
}

/** Each as the files in their order; a file that imports itself is one too. */
function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const seen = new Set<string>();
  const cycles: (readonly string[])[] = [];
  function walk(file: string, way: readonly string[]): void {
    if (way.includes(file)) cycles.push([...way.slice(way.indexOf(file)), file]);
    if (seen.has(file)) return;
    seen.add(file);
    for (const next of graph.get(file) ?? []) walk(next, [...way, file]);
  }
  for (const file of graph.keys()) walk(file, []);
  return cycles;
}

test('no file imports itself, however long the way round', () => {
  const graph = new Map(sources.map((file) => [file, importsOf(file)]));
  expect(graph.get('src/app/hub.ts')).toContain('src/app/liveSessions.ts');
  expect(cyclesIn(graph)).toEqual([]);
  expect(
    cyclesIn(
      new Map([
        ['a', ['b']],
        ['b', ['c', 'd']],
        ['c', []],
        ['d', ['a']],
      ]),
    ),
  ).toEqual([['a', 'b', 'd', 'a']]);
});

test('no barrels: no file is called index.ts', () => {
  expect(sources.filter((file) => path.basename(file) === 'index.ts')).toEqual([]);
});

test('the composition roots wire and own no logic: 80 lines at the most', () => {
  for (const file of [
    'extension',
    'startWindow',
    'headless',
    'mascot',
    'uninstall',
    'composeHooks',
    'composeWindow',
  ].map((name) => `src/${name}.ts`)) {
    expect(readFileSync(path.join(root, file), 'utf8').trimEnd().split('\n').length, file).toBeLessThanOrEqual(80);
  }
});

interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<
    Record<
      string,
      {
        readonly bytes: number;
        readonly entryPoint?: string;
        readonly inputs: Readonly<Record<string, unknown>>;
        readonly imports: readonly { path: string; kind: string; external?: boolean }[];
      }
    >
  >;
}

function metafile(name: string): Metafile {
  return JSON.parse(readFileSync(path.join(root, 'dist', 'meta', `${name}.json`), 'utf8')) as Metafile;
}

/** What these written files are made of. */
function contents({ outputs }: Metafile, files: readonly string[], inputs: readonly string[]) {
  const packages = inputs
    .map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1])
    .filter((name) => name !== undefined);
  return {
    packages: [...new Set(packages)].toSorted(),
    own: inputs.filter((file) => !file.includes('node_modules')),
    outputs: files.map((file) => ({
      file,
      bytes: outputs[file]?.bytes ?? 0,
      externals: outputs[file]?.imports.filter(({ external }) => external).map(({ path }) => path) ?? [],
    })),
  };
}

function bundle(name: string) {
  const meta = metafile(name);
  return contents(meta, Object.keys(meta.outputs), Object.keys(meta.inputs));
}

/** One of the programs that share dist/parts, with every part that it ever loads, or with those that it begins with. */
function program(entryPoint: string, which: 'ever' | 'at first' = 'ever') {
  const meta = metafile('programs');
  const files = new Set(Object.keys(meta.outputs).filter((file) => meta.outputs[file]?.entryPoint === entryPoint));
  // A set that grows while it is walked is walked to its end.
  for (const file of files)
    for (const { path, kind, external } of meta.outputs[file]?.imports ?? [])
      if (!external && (which === 'ever' || kind === 'import-statement')) files.add(path);
  const inputs = [...files].flatMap((file) => Object.keys(meta.outputs[file]?.inputs ?? {}));
  return contents(meta, [...files], inputs);
}

describe('what really ends up in each bundle (npm run build)', () => {
  test('FWD-8 the forwarder holds no package and only four files of src, and is small enough to start fast', () => {
    const { packages, own, outputs } = bundle('forwarder');
    expect(packages).toEqual([]);
    expect(own.filter((file) => !file.startsWith('forwarder/')).toSorted()).toEqual([
      'src/protocol/discovery.ts',
      'src/protocol/handOver.ts',
      'src/protocol/limits.ts',
      'src/protocol/providers.ts',
    ]);
    for (const { file, bytes, externals } of outputs) {
      expect(bytes, file).toBeLessThan(42 * 1024);
      expect(
        externals.every((name) => name.startsWith('node:')),
        externals.join(),
      ).toBe(true);
    }
  });

  test('SEC-8 remote.mjs, which masks, is a separate file beside the forwarder, without packages', () => {
    const { packages, own, outputs } = bundle('remote');
    expect(packages).toEqual([]);
    expect(own).toContain('src/domain/mask/mask.ts');
    expect(own.filter((file) => !/^(forwarder|src\/(protocol|domain))\//.test(file))).toEqual([]);
    for (const { file, bytes, externals } of outputs) {
      expect(bytes, file).toBeLessThan(128 * 1024);
      expect(externals.filter((name) => !name.startsWith('node:'))).toEqual([]);
    }
  });

  test('SEC-5 the panel holds Lit and its own files: no schema, nothing of src at run time', () => {
    const { packages, own, outputs } = bundle('webview');
    expect(packages).toEqual(['@lit/reactive-element', 'lit', 'lit-element', 'lit-html']);
    expect(own.filter((file) => !file.startsWith('webview/'))).toEqual([]);
    expect(Math.max(...outputs.map(({ bytes }) => bytes))).toBeLessThan(128 * 1024);
  });

  test('HKI-9 the command line holds the settings editor and small schemas, and neither server nor database', () => {
    const { packages, own, outputs } = bundle('mascot');
    expect(packages).toEqual(['jsonc-parser', 'zod']);
    expect(
      own.filter((file) => /^(webview|src\/vscode|src\/node\/(store|collector)\/.*(?:server|database))/.test(file)),
    ).toEqual([]);
    for (const { file, bytes } of outputs) expect(bytes, file).toBeLessThan(192 * 1024);
  });

  test('SNK-1 pg is in a program of its own, and in no other', () => {
    const { packages, own } = program('src/node/postgres/teamDatabase.ts');
    expect(packages).toContain('pg');
    expect(own.filter((file) => /^src\/(vscode|cli|node\/(?!postgres|files))/.test(file))).toEqual([]);
    for (const name of ['extension', 'headless']) expect(program(`src/${name}.ts`).packages).not.toContain('pg');
  });

  test('OPS-5 what the editor loads to activate the extension is one small file of ours, and the bundler’s helpers', () => {
    const { packages, own, outputs } = program('src/extension.ts', 'at first');
    expect([packages, own.filter((file) => file.startsWith('src/'))]).toEqual([[], ['src/extension.ts']]);
    expect(outputs.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(8 * 1024);
  });

  test('OPS-5 no part of the program makes itself a copy of the names in `vscode`', () => {
    const folder = path.join(root, 'dist', 'parts');
    const parts = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
    const asked = parts.flatMap((text) => text.match(/.require\("vscode"\)/g) ?? []);
    expect([asked.length > 0, new Set(asked)]).toEqual([true, new Set(['=require("vscode")'])]);
  });

  test('PUB-1 the notices name every package that any bundle holds, with its version and licence', () => {
    const notices = readFileSync(path.join(root, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    const builds = readdirSync(path.join(root, 'dist', 'meta')).map((file) => path.parse(file).name);
    const packages = new Set(builds.flatMap((name) => bundle(name).packages));
    expect(packages.size).toBeGreaterThan(15);
    for (const name of packages) {
      const { version, license } = JSON.parse(
        readFileSync(path.join(root, 'node_modules', name, 'package.json'), 'utf8'),
      ) as { version: string; license: string };
      expect(notices).toContain(`${name} ${version} (${license})`);
    }
    for (const section of notices.split(/^-{80}$/m).slice(1))
      expect(section).toMatch(/Copyright[^]*(Permission|Redistribution)/);
  });

  test('the extension and the headless collector hold the named packages and nothing of the panel', () => {
    expect(program('src/extension.ts').packages).toEqual(['jsonc-parser', 'sql.js', 'ws', 'zod']);
    expect(program('src/headless.ts').packages).toEqual(['sql.js', 'ws', 'zod']);
    for (const name of ['extension', 'headless']) {
      const { own } = program(`src/${name}.ts`);
      expect(own.filter((file) => file.startsWith('webview/') || file.startsWith('src/cli/'))).toEqual([]);
    }
    expect(program('src/headless.ts').own.filter((file) => file.startsWith('src/vscode/'))).toEqual([]);
  });
});
