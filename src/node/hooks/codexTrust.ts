import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { CodexTrust } from '../../app/hooks/doctorPorts.ts';
import {
  codexKeyOf,
  countListed,
  countRemembered,
  readCodexConfig,
  readHooksList,
  type CodexTrustCount,
} from '../../domain/hooks/codexTrust.ts';
import { listCodexHooks } from './codexServer.ts';

const LARGEST_BYTES = 16 * 1024 * 1024;

export interface CodexTrustQuestion {
  /** `hooks.json` in Codex's folder. */
  readonly file: string;
  /** Ours in it. */
  readonly commands: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly limitMs?: number;
}

/** HKI-8: by Codex itself where it can be asked, else by what it has written down. */
export async function readCodexTrust(question: CodexTrustQuestion): Promise<CodexTrust> {
  const { file, commands, env, limitMs } = question;
  const folder = path.dirname(file);
  const answer = await listCodexHooks({
    env: { ...env, CODEX_HOME: folder },
    cwd: folder,
    ...(limitMs === undefined ? {} : { limitMs }),
  });
  const listed = answer.kind === 'answer' ? await listedIn(answer.result, file, commands) : undefined;
  const count = listed ?? (await rememberedIn(file, commands));
  if (count) return { kind: 'known', ...count };
  return { kind: 'unknown', why: answer.kind === 'none' ? answer.why : 'codex lists none of our hooks' };
}

/** The file of Codex's settings in this folder, if it holds hooks of its own. */
export async function inlineHooksFile(folder: string): Promise<string | undefined> {
  const file = path.join(folder, 'config.toml');
  const text = await textOf(file);
  return text !== undefined && readCodexConfig(text).inline ? file : undefined;
}

/** Undefined: it knows nothing of this file, so it says nothing about it either. */
async function listedIn(
  result: unknown,
  file: string,
  commands: readonly string[],
): Promise<CodexTrustCount | undefined> {
  const hooks = readHooksList(result) ?? [];
  const names = await namesOf(file);
  const ofFile = hooks.flatMap((hook) => (names.includes(hook.file) ? [{ ...hook, file }] : []));
  return ofFile.some(({ command }) => commands.includes(command)) ? countListed(ofFile, file, commands) : undefined;
}

/** Undefined: Codex has written nothing yet. */
async function rememberedIn(file: string, commands: readonly string[]): Promise<CodexTrustCount | undefined> {
  const [config, hooks] = await Promise.all([textOf(path.join(path.dirname(file), 'config.toml')), textOf(file)]);
  if (config === undefined || hooks === undefined) return undefined;
  const counts = (await namesOf(file)).map((name) =>
    countRemembered(readCodexConfig(config), keysOf(hooks, name, commands)),
  );
  return counts.reduce((best, count) => (count.trusted > best.trusted ? count : best));
}

/** It may know the file by the name behind a link. */
async function namesOf(file: string): Promise<readonly string[]> {
  return [...new Set([file, await realpath(file).catch(() => file)])];
}

function keysOf(text: string, file: string, commands: readonly string[]): readonly string[] {
  const hooks = fieldOf(parsed(text), 'hooks');
  if (typeof hooks !== 'object' || hooks === null) return [];
  return Object.entries(hooks).flatMap(([event, groups]) =>
    listOf(groups).flatMap((group, at) =>
      listOf(fieldOf(group, 'hooks')).flatMap((hook, index) => {
        const command = fieldOf(hook, 'command');
        const isOurs = typeof command === 'string' && commands.includes(command);
        return isOurs ? [codexKeyOf(file, event, at, index)] : [];
      }),
    ),
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** A pipe in a file's place would keep us waiting. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    const stats = await stat(file);
    return stats.isFile() && stats.size <= LARGEST_BYTES ? await readFile(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
