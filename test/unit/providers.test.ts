import { build } from 'esbuild';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fitPayload } from '../../forwarder/cut.ts';
import { eventsOf, recordings, recordingsFolder } from '../../src/domain/recordings.testkit.ts';
import { providerFor, providers } from '../../src/domain/providers/registry.ts';
import { readHook } from '../../src/domain/readHook.ts';
import {
  descriptors,
  hookedIds,
  hookScopes,
  nameOfProvider,
  providerIds,
  scopeIds,
} from '../../src/protocol/providers.ts';
import { hookWords } from '../../src/vscode/hooks/hookWords.ts';

const root = path.join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** Every text that a new program needs in the code outside of its folder: [file, the text before it, the text]. */
const additions = {
  descriptor: [
    'src/protocol/providers.ts',
    "  vscode: { name: 'VS Code Chat' },\n",
    `  acme: {
       name: 'Acme',
       home: { folder: '.acme', variable: 'ACME_HOME', transcripts: { folder: 'runs', layout: 'projects' } },
       hooks: { scopes: { acme: { file: 'hooks/ours.json', icon: 'rocket' } }, inPersonsShell: true },
       signs: { programs: ['acme'], variables: ['ACME_SESSION'] },
     },`,
  ],
  marks: [
    'src/protocol/providers.ts',
    '  vscode: {},\n',
    String.raw`acme: { transcript: /\/\.acme\//, event: /^AcmeBegins$/, headless: ['--batch'] },`,
  ],
  reader: [
    'src/domain/providers/registry.ts',
    'const byId = { ',
    `acme: { id: 'acme', hooks: {}, subagentId: () => undefined, replies: noReplies, calls: plainCalls, surfaces: { 'acme-tui': 'terminal' as const } },`,
  ],
  hookSet: [
    'src/domain/providers/hookSets.ts',
    '  copilot: copilotHookSet,\n',
    `acme: ({ place }) => ({ format: { shape: 'flat', commandKey: 'command' }, entries: [{ event: 'Stop', element: { command: place.home } }] }),`,
  ],
} as const;
type Addition = keyof typeof additions;

function withAdditions(file: string, wanted: readonly Addition[]): string {
  let text = readFileSync(file, 'utf8');
  for (const name of wanted) {
    const [where, before, added] = additions[name];
    if (path.join(root, where) !== path.resolve(file)) continue;
    if (!text.includes(before)) throw new Error(`${where} has no ${before}`);
    text = text.replace(before, () => before + added);
  }
  return text;
}

/** The files in which the compiler finds something missing, if a program is added only so far. */
function lacking(wanted: readonly Addition[]): readonly string[] {
  const config = path.join(root, 'tsconfig.pure.json');
  const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile(config, ts.sys.readFile).config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  host.getSourceFile = (name, language) =>
    existsSync(name) ? ts.createSourceFile(name, withAdditions(name, wanted), language) : undefined;
  const files = [...new Set(Object.values(additions).map(([file]) => path.join(root, file)))];
  const found = ts.getPreEmitDiagnostics(ts.createProgram(files, options, host));
  return [...new Set(found.map(({ file }) => path.relative(root, file?.fileName ?? '').replaceAll(path.sep, '/')))];
}

describe('PRV-1 a program that is added to the table', () => {
  test('PRV-1 the compiler asks for its marks, its reader and its hooks, and for nothing more', () => {
    expect(lacking(['descriptor']).toSorted()).toEqual([
      'src/domain/providers/hookSets.ts',
      'src/domain/providers/registry.ts',
      'src/protocol/providers.ts',
    ]);
    expect(lacking(['descriptor', 'marks', 'reader', 'hookSet'])).toEqual([]);
  });

  const folder = mkdtempSync(path.join(tmpdir(), 'mascot-provider-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let built: Built;
  beforeAll(async () => {
    built = await buildWithAll(folder);
  });

  test('PRV-1 is one of the ids, in the schema too', () => {
    const { providerIds, hookedIds, openApi } = built;
    expect([providerIds.includes('acme'), hookedIds.includes('acme')]).toEqual([true, true]);
    expect(JSON.stringify(openApi())).toContain('"vscode","acme"]');
  });

  test('PRV-1 the forwarder knows it by its id and by each of its marks', () => {
    const { providerOf } = built;
    const told = [
      providerOf('acme', undefined, {}),
      providerOf(undefined, 'Acme', {}),
      providerOf(undefined, undefined, { transcript_path: '/home/dev/.acme/runs/1.jsonl' }),
      providerOf(undefined, undefined, { hook_event_name: 'AcmeBegins' }),
    ];
    expect(told).toEqual(Array(4).fill('acme'));
  });

  test('FWD-7 the forwarder starts no editor for it where no person is', () => {
    const start = { platform: 'darwin', autoLaunch: 'interactive', variables: {}, provider: 'acme', tty: 'pts/1' };
    const kinds = [['acme'], ['acme', '--batch']].map((line) => built.considerLaunch({ ...start, commandLine: line }));
    expect(kinds.map(({ kind }) => kind)).toEqual(['launch', 'leave']);
  });

  test('HKI-2 its commands are known as ours, and are run by sh', () => {
    const { hookCommand, isOurCommand } = built;
    const commands = (['posix', 'windows'] as const).map((system) =>
      hookCommand({ system, home: system === 'posix' ? '/h' : 'C:/h' }, 'acme', 'Stop'),
    );
    expect(commands.map(isOurCommand)).toEqual([true, true]);
    expect(commands[0]).toMatch(/^exec \/bin\/sh -c /);
  });

  test('HKI-9 it is a scope with a file, a name and an icon, and `mascot` takes its id', async () => {
    const { agentPlaces, createScopes, hookScopes, placeOptions } = built;
    expect(placeOptions['scope']?.takes).toMatch(/, acme, all$/);
    expect(hookScopes['acme']).toMatchObject({ name: 'Acme', icon: 'rocket', provider: 'acme' });
    const filesWith = async (env: NodeJS.ProcessEnv) => {
      const places = agentPlaces(env, '/home/dev');
      const scopes = createScopes({ home: '/h', places, platform: 'linux', programs: () => Promise.resolve([]) });
      return (await scopes.all()).flatMap(({ id, provider, file }) => (id === 'acme' ? [[provider, file]] : []));
    };
    expect(await filesWith({})).toEqual([['acme', path.join('/home/dev', '.acme', 'hooks', 'ours.json')]]);
    expect(await filesWith({ ACME_HOME: '/a' })).toEqual([['acme', path.join('/a', 'hooks', 'ours.json')]]);
  });

  test('HKI-9 the record of installed files keeps it', async () => {
    const record = built.createInstallRecord(path.join(folder, 'installed.json'), { warn: () => undefined });
    const format = { shape: 'flat', commandKey: 'command' };
    const installed = { scope: 'acme', file: '/a/hooks/ours.json', made: true, format, at: '2026-01-01T00:00:00.000Z' };
    await record.add(installed);
    expect(await record.list()).toEqual([installed]);
  });

  test('TRN-1 its transcripts are looked for', () => {
    expect(built.agentRoots({ ACME_HOME: '/a' })).toContainEqual({
      ...{ provider: 'acme', folder: path.join('/a', 'runs'), layout: 'projects' },
    });
  });

  test('SEC-7 a command that it runs is known to be run by an agent', () => {
    const above = (name: string) => [{ pid: 5_000_001, parent: 0, name }];
    expect([
      built.agentAround({ ACME_SESSION: '1' }, [], '/p')?.sign,
      built.agentAround({}, above('acme'), '/p')?.sign,
      built.agentAround({}, above('acme-sandbox'), '/p')?.sign,
    ]).toEqual(['ACME_SESSION is set', 'acme runs above it', 'acme-sandbox runs above it']);
  });

  test('NRM-1 its hooks are read, its name and its way of running are told', () => {
    const hook = built.readHook({ hook_event_name: 'Stop', session_id: 's', _meta: { provider: 'acme' } });
    expect(hook).toMatchObject({ ok: true, hook: { meta: { provider: 'acme' } } });
    expect([built.nameOfProvider('acme'), built.surfaceOf('acme-tui')]).toEqual(['Acme', 'terminal']);
  });
});

/** What is made from the table; ids are plain texts here, for those of the real table are not all. */
interface Built {
  readonly providerIds: readonly string[];
  readonly hookedIds: readonly string[];
  readonly hookScopes: Readonly<Record<string, object>>;
  readonly nameOfProvider: (id: string) => string | undefined;
  readonly openApi: () => object;
  readonly providerOf: (argument: string | undefined, variable: string | undefined, payload: object) => string;
  readonly considerLaunch: (start: object) => { readonly kind: string };
  readonly hookCommand: (place: object, provider: string, event: string) => string;
  readonly isOurCommand: (command: string) => boolean;
  readonly placeOptions: Readonly<Record<string, { readonly takes?: string }>>;
  readonly agentPlaces: (env: NodeJS.ProcessEnv, person: string) => object;
  readonly createScopes: (parts: object) => {
    all(): Promise<readonly { readonly id: string; readonly provider: string; readonly file: string }[]>;
  };
  readonly createInstallRecord: (
    file: string,
    log: object,
  ) => { add(file: object): Promise<void>; list(): Promise<readonly object[]> };
  readonly agentRoots: (env: NodeJS.ProcessEnv) => readonly object[];
  readonly agentAround: (env: object, above: readonly object[], cwd: string) => { readonly sign: string } | undefined;
  readonly readHook: (body: object) => object;
  readonly surfaceOf: (entrypoint: string) => string | undefined;
}

const exported = {
  'src/protocol/providers.ts': 'providerIds, hookedIds, hookScopes, nameOfProvider',
  'src/node/collector/openapi.ts': 'openApi',
  'forwarder/provider.ts': 'providerOf',
  'forwarder/launchWhen.ts': 'considerLaunch',
  'src/domain/hooks/command.ts': 'hookCommand, isOurCommand',
  'src/cli/places.ts': 'placeOptions',
  'src/node/hooks/agentPlaces.ts': 'agentPlaces',
  'src/node/hooks/scopes.ts': 'createScopes',
  'src/node/hooks/installRecord.ts': 'createInstallRecord',
  'src/node/sources/sources.ts': 'agentRoots',
  'src/cli/agentAround.ts': 'agentAround',
  'src/domain/readHook.ts': 'readHook',
  'src/domain/surface.ts': 'surfaceOf',
};

async function buildWithAll(folder: string): Promise<Built> {
  const outfile = path.join(folder, 'built.mjs');
  const lines = Object.entries(exported).map(([file, names]) => `export { ${names} } from './${file}';`);
  const changed = Object.values(additions).map(([file]) => path.basename(file, '.ts'));
  await build({
    stdin: { contents: lines.join('\n'), resolveDir: root, loader: 'ts' },
    ...{ bundle: true, platform: 'node', format: 'esm', outfile, logLevel: 'error' },
    plugins: [
      {
        name: 'additions',
        setup({ onLoad }) {
          const filter = new RegExp(`[\\\\/](?:${changed.join('|')})\\.ts$`);
          const all = Object.keys(additions) as readonly Addition[];
          onLoad({ filter }, ({ path: file }) => ({ contents: withAdditions(file, all), loader: 'ts' }));
        },
      },
    ],
  });
  return (await import(pathToFileURL(outfile).href)) as Built;
}

describe('PRV-1 every program of the table', () => {
  test.each(providerIds)('PRV-1 %s has a reader under its id, and no other has it', (id) => {
    expect([providerFor(id).id, providers.filter((provider) => provider.id === id).length]).toEqual([id, 1]);
  });

  test.each(providerIds)('PRV-1 %s has recordings, and each of their hooks is read as its own', (id) => {
    const isIts = (name: string) => name.startsWith(`${id}/`);
    const own = recordings().filter(
      ({ name }) => isIts(name) || (!descriptors[id].hooks && name.startsWith('dialects/')),
    );
    const events = own.flatMap(eventsOf);
    expect(events.filter(({ provider }) => provider === id).length).toBeGreaterThan(0);
    if (descriptors[id].hooks) expect(events.filter(({ provider }) => provider !== id)).toEqual([]);
  });

  test.each(providerIds.filter((id) => providerFor(id).transcript))('STA-5 %s has recorded transcripts', (id) => {
    expect(readdirSync(path.join(recordingsFolder, id, 'transcripts')).length).toBeGreaterThan(0);
    expect(read('src/app/watch/goldenTranscripts.test.ts')).toContain(`['${id}/`);
  });

  test('FWD-9 is still known, with session and hook, when its payload is cut to the least', () => {
    const changed = recordings().flatMap(({ name, hooks }) =>
      hooks.flatMap(({ event, payload }) => {
        const _meta = { provider: name.startsWith('dialects/') ? 'claude' : (name.split('/')[0] ?? ''), event };
        const whole = knownOf({ ...payload, _meta });
        const cut = knownOf(JSON.parse(fitPayload({ ...payload, _meta }, 1)) as object);
        return JSON.stringify(whole) === JSON.stringify(cut) ? [] : [{ name, event, whole, cut }];
      }),
    );
    expect(changed).toEqual([]);
  });

  test('SES-2 no two programs mean another surface by one word', () => {
    const words = providers.flatMap(({ surfaces }) => Object.entries(surfaces ?? {}));
    expect(new Set(words.map(String)).size).toBe(new Set(words.map(([word]) => word)).size);
  });

  test('HKI-9 no two programs share a scope or a file', () => {
    const written = hookedIds.flatMap((id) => Object.keys(descriptors[id].hooks.scopes));
    expect(written).toEqual(scopeIds);
    const files = Object.values(hookScopes).map(({ provider, inProject, file }) =>
      inProject ? file : provider + file,
    );
    expect(new Set(files).size).toBe(scopeIds.length);
  });

  test('HKI-1 each scope in a project says whom its file reaches', () => {
    expect(scopeIds.filter((id) => hookScopes[id].inProject && !(`whom.${id}` in hookWords))).toEqual([]);
  });

  test.each(['package.nls.json', 'package.nls.ko.json'])(
    'GRD-2 %s names the tools that are held to work items',
    (file) => {
      const texts = JSON.parse(read(file)) as Record<string, string>;
      for (const { id, guarded } of providers)
        if (guarded)
          expect(texts['setting.tracking.mode']).toContain(`${nameOfProvider(id)}: ${[...guarded].join(', ')}`);
    },
  );

  test('A9-doc is in the documentation wherever its id may be given', () => {
    expect(read('README.md')).toContain(`--scope ${scopeIds.join('|')}:`);
    const ids = hookedIds.map((id) => `\`${id}\``);
    expect(read('docs/integrate.md')).toContain(`\`--provider\` is ${ids.slice(0, -1).join(', ')} or ${ids.at(-1)}`);
  });
});

function knownOf(body: object) {
  const told = readHook(body);
  if (!told.ok) return told.error;
  const { name, meta, raw } = told.hook;
  return [name, meta.provider, providerFor(meta.provider ?? '').sessionId?.(raw) ?? raw['session_id']];
}
