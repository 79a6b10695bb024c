import {
  memoryFiles,
  type MemoryFiles,
  memoryFolders,
  type MemoryFolders,
  memoryRecord,
  scopeFrom,
  scopesOf,
} from '../app/hooks/hooks.testkit.ts';
import type { HookKit } from '../app/hooks/hookKit.ts';
import type { InstalledFile, Scope } from '../app/hooks/hookPorts.ts';
import { createHookInstaller } from '../app/hooks/installer.ts';
import type { Finding } from '../domain/hooks/findings.ts';
import type { Process } from '../../forwarder/processes.ts';
import type { MascotWorld } from './command.ts';
import type { ExitCode } from './failure.ts';
import { runMascot } from './main.ts';

export interface Ran {
  readonly code: ExitCode;
  readonly out: string;
  readonly complaints: string;
  readonly questions: readonly string[];
}

export interface Scene {
  readonly files: MemoryFiles;
  readonly folders: MemoryFolders;
  /** Files that the removal of everything would change. */
  toRemove: readonly string[];
  readonly installed: InstalledFile[];
  readonly excluded: string[];
  /** What was asked of the kit that is neither a look nor a file. */
  readonly done: string[];
  findings: (() => readonly Finding[]) | undefined;
  /** At a terminal, where the person gives these answers one after the other. */
  answers: string[] | undefined;
  /** Where it is run. */
  cwd: string;
  /** Above it. */
  processes: readonly Process[];
  /** The same with these variables in its environment. */
  in(env: MascotWorld['env']): Scene;
  run(...args: readonly string[]): Promise<Ran>;
}

/** The command line over files in memory. */
export function createScene(scopes: readonly Scope[], texts: Readonly<Record<string, string>> = {}): Scene {
  const files = memoryFiles(texts);
  const folders = memoryFolders();
  const record = memoryRecord();
  let env: MascotWorld['env'] = {};
  const scene: Scene = {
    files,
    folders,
    toRemove: [],
    installed: record.all,
    excluded: [],
    done: [],
    findings: undefined,
    answers: undefined,
    cwd: import.meta.dirname,
    processes: [],
    in(changes) {
      env = changes;
      return scene;
    },
    async run(...args) {
      const out: string[] = [];
      const complaints: string[] = [];
      const questions: string[] = [];
      const code = await runMascot(args, { ...worldOf(kit, scene, { out, complaints, questions }), env });
      return { code, out: out.join('\n'), complaints: complaints.join('\n'), questions };
    },
  };
  const kit: HookKit = {
    installer: createHookInstaller({
      files,
      folders,
      scopes: scopesOf(...scopes),
      record,
      now: () => '2026-11-18T12:00:00.000Z',
    }),
    scopes: {
      all: (project) => Promise.resolve(scopes.filter((scope) => scope.project === undefined || project !== undefined)),
      of: (installed) => Promise.resolve(scopeFrom(installed)),
    },
    doctor: { examine: () => Promise.resolve(scene.findings?.() ?? []) },
    excluded: {
      list: () => Promise.resolve([...scene.excluded]),
      add: (project) => Promise.resolve(void scene.excluded.push(project)),
      remove(project) {
        const at = scene.excluded.indexOf(project);
        if (at >= 0) scene.excluded.splice(at, 1);
        return Promise.resolve(at >= 0);
      },
    },
    refresh() {
      scene.done.push('refresh');
      return Promise.resolve('refreshed');
    },
    watchVanishing: () => ({ onVanished: () => ({ dispose: () => undefined }), dispose: () => undefined }),
    filesToRemoveFrom: () => Promise.resolve(scene.toRemove),
    quieten: ({ file }) => record.quieten(file, true),
    forget(file) {
      scene.done.push(`forget ${file.file}`);
      return record.remove(file.file);
    },
    removeEverything() {
      scene.done.push('removeEverything');
      return Promise.resolve({ done: ['the home'], failed: [{ what: '/store', why: 'EBUSY' }] });
    },
    scopeOf: ({ file }) => Promise.resolve(scopes.find((scope) => scope.file === file)),
  };
  return scene;
}

function worldOf(
  kit: HookKit,
  scene: Scene,
  said: { readonly out: string[]; readonly complaints: string[]; readonly questions: string[] },
): MascotWorld {
  return {
    version: '1.2.3',
    env: {},
    cwd: scene.cwd,
    personHome: '/home/dev',
    now: () => Date.parse('2026-11-18T12:00:00.000Z'),
    kit: () => Promise.resolve(kit),
    processesAbove: () => Promise.resolve(scene.processes),
    untilEnded: () => new AbortController().signal,
    terminal: {
      out: (text) => void said.out.push(text),
      complain: (text) => void said.complaints.push(text),
      closed: new AbortController().signal,
      isInteractive: scene.answers !== undefined,
      ask(question) {
        said.questions.push(question);
        return Promise.resolve(scene.answers?.shift());
      },
    },
  };
}
