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
    /^(src\/(protocol|domain|app|node|vscode|cli)\/|src\/(extension|headless|mascot|uninstall|composeHooks|composeWindow|composeOutlets)(\.test)?\.ts$|webview\/|forwarder\/)/;
  expect(sources.filter((file) => !layered.test(file))).toEqual([]);
});

test('no barrels: no file is called index.ts', () => {
  expect(sources.filter((file) => path.basename(file) === 'index.ts')).toEqual([]);
});

test('the composition roots wire and own no logic: 80 lines at the most', () => {
  for (const file of ['extension', 'headless', 'mascot', 'uninstall', 'composeHooks', 'composeWindow'].map(
    (name) => `src/${name}.ts`,
  )) {
    expect(readFileSync(path.join(root, file), 'utf8').trimEnd().split('\n').length, file).toBeLessThanOrEqual(80);
  }
});

interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<
    Record<string, { readonly bytes: number; readonly imports: readonly { path: string; external?: boolean }[] }>
  >;
}

function bundle(name: string) {
  const meta = JSON.parse(readFileSync(path.join(root, 'dist', 'meta', `${name}.json`), 'utf8')) as Metafile;
  const packages = new Set(
    Object.keys(meta.inputs)
      .map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1])
      .filter((name) => name !== undefined),
  );
  const outputs = Object.entries(meta.outputs).map(([file, { bytes, imports }]) => ({
    file,
    bytes,
    externals: imports.filter(({ external }) => external).map(({ path }) => path),
  }));
  return {
    packages: [...packages].toSorted(),
    own: Object.keys(meta.inputs).filter((file) => !file.includes('node_modules')),
    outputs,
  };
}

describe('what really ends up in each bundle (npm run build)', () => {
  test('FWD-8 the forwarder holds no package and only two files of src, and is small enough to start fast', () => {
    const { packages, own, outputs } = bundle('forwarder');
    expect(packages).toEqual([]);
    expect(own.filter((file) => !file.startsWith('forwarder/')).toSorted()).toEqual([
      'src/protocol/discovery.ts',
      'src/protocol/handOver.ts',
      'src/protocol/limits.ts',
    ]);
    for (const { file, bytes, externals } of outputs) {
      expect(bytes, file).toBeLessThan(40 * 1024);
      expect(
        externals.every((name) => name.startsWith('node:')),
        externals.join(),
      ).toBe(true);
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

  test('SNK-1 pg is in a bundle of its own, and in no other', () => {
    const { packages, own } = bundle('postgres');
    expect(packages).toContain('pg');
    expect(own.filter((file) => /^src\/(vscode|cli|node\/(?!postgres|files))/.test(file))).toEqual([]);
    for (const name of ['extension', 'headless']) expect(bundle(name).packages).not.toContain('pg');
  });

  test('the extension and the headless collector hold the named packages and nothing of the panel', () => {
    expect(bundle('extension').packages).toEqual(['jsonc-parser', 'sql.js', 'ws', 'zod']);
    expect(bundle('headless').packages).toEqual(['sql.js', 'ws', 'zod']);
    for (const name of ['extension', 'headless']) {
      expect(bundle(name).own.filter((file) => file.startsWith('webview/') || file.startsWith('src/cli/'))).toEqual([]);
    }
    expect(bundle('headless').own.filter((file) => file.startsWith('src/vscode/'))).toEqual([]);
  });
});
