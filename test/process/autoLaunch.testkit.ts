import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readKernelStart } from '../../forwarder/linuxProcesses.ts';

const root = path.join(import.meta.dirname, '../..');

/** One start of a stand-in editor, as it saw itself. */
export interface Started {
  readonly pid: number;
  /** Of its session: the same as the pid if it leads one of its own. */
  readonly session: number;
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly args: string;
}

export interface StandIn {
  readonly program: string;
  readonly starts: () => readonly Started[];
  readonly lives: (pid: number) => boolean;
  /** Every one that was started, by its pid. */
  readonly end: () => void;
}

/**
 * An editor that notes how it was started and then is what `then` says: the collector of a home, as an editor with the
 * extension is; one that has no extension; or one that fails at once.
 */
export function standInEditor(dir: string, then: 'collector' | 'idle' | 'fails', name = 'an editor'): StandIn {
  const folder = path.join(dir, name);
  const notes = path.join(folder, 'notes');
  mkdirSync(notes, { recursive: true });
  const program = path.join(folder, 'code');
  const node = `'${process.execPath}'`;
  const afterwards = {
    collector: `exec ${node} '${path.join(root, 'dist/headless.js')}' --storage '${path.join(folder, 'store')}' --port 0 --home "$AGENT_MASCOT_HOME" >/dev/null 2>&1`,
    idle: `exec ${node} -e 'setInterval(() => undefined, 1000)'`,
    fails: 'exit 3',
  };
  const script = [
    '#!/bin/sh',
    `n='${notes}'`,
    'read -r stat </proc/$$/stat',
    // `env` lists its own word too, and the shell's.
    'env >"$n/.$$"',
    'printf "\\0%s\\0%s\\0%s" "$stat" "$PWD" "$*" >>"$n/.$$"',
    'mv "$n/.$$" "$n/$$"',
    afterwards[then],
  ];
  writeFileSync(program, `${script.join('\n')}\n`);
  chmodSync(program, 0o755);
  const begun = new Map<number, string | undefined>();
  const starts = () =>
    readdirSync(notes)
      .filter((note) => !note.startsWith('.'))
      .map((note) => {
        const [variables = '', stat = '', cwd = '', args = ''] = readFileSync(path.join(notes, note), 'utf8').split(
          '\0',
        );
        const pid = Number(note);
        if (!begun.has(pid)) begun.set(pid, readKernelStart(pid));
        return { pid, session: sessionOf(stat), folder: cwd, variables: parseVariables(variables), args };
      });
  const lives = (pid: number) => begun.get(pid) !== undefined && readKernelStart(pid) === begun.get(pid);
  return {
    program,
    starts,
    lives,
    end() {
      for (const { pid } of starts()) if (lives(pid)) process.kill(pid, 'SIGKILL');
    },
  };
}

function sessionOf(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]);
}

function parseVariables(text: string): Readonly<Record<string, string>> {
  const pairs = text.split('\n').map((line) => /^([^=]+)=(.*)$/.exec(line));
  return Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1] ?? '', pair[2] ?? '']] : [])));
}

export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
