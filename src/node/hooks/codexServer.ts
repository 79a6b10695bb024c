import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { firstOnPath, restingFolder, type SafeProgram, safeProgram } from './programFiles.ts';
import { killGroup, plainEnvironment } from './runProgram.ts';

const CODEX_NAME = process.platform === 'win32' ? 'codex.exe' : 'codex';
const LIMIT_MS = 5_000;
const LINE_MAX = 4 * 1024 * 1024;
const INITIALIZE = 1;
const LIST = 2;

export type CodexAnswer =
  | { readonly kind: 'answer'; readonly result: unknown }
  /** Why there is none, in few words. */
  | { readonly kind: 'none'; readonly why: string };

export interface CodexQuestion {
  readonly env: NodeJS.ProcessEnv;
  /** Whose hooks: those of this folder's project and the person's own. */
  readonly cwd: string;
  readonly limitMs?: number;
}

/** HKI-8: asks the program itself which hooks it trusts. It only looks: nothing is trusted, run or written by it. */
export async function listCodexHooks(question: CodexQuestion): Promise<CodexAnswer> {
  const file = await firstOnPath([CODEX_NAME], question.env);
  if (file === undefined) return { kind: 'none', why: 'codex is not on the PATH' };
  const program = await safeProgram(file);
  return program ? askedOf(program, question) : { kind: 'none', why: `others may write ${file}, so it is not run` };
}

function askedOf(program: SafeProgram, { env, cwd, limitMs = LIMIT_MS }: CodexQuestion): Promise<CodexAnswer> {
  return new Promise((resolve) => {
    const child = spawn(program.real, ['app-server'], {
      argv0: program.file,
      cwd: restingFolder(env),
      env: { ...plainEnvironment(env), ...(env['CODEX_HOME'] ? { CODEX_HOME: env['CODEX_HOME'] } : {}) },
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: process.platform !== 'win32',
    });
    const lines = createInterface({ input: child.stdout });
    const end = (answer: CodexAnswer) => {
      clearTimeout(timer);
      lines.close();
      killGroup(child);
      child.stdin.destroy();
      child.stdout.destroy();
      resolve(answer);
    };
    const none = (why: string) => end({ kind: 'none', why });
    const timer = setTimeout(none, limitMs, `codex did not answer within ${limitMs / 1000} s`);
    const send = (message: object) => void child.stdin.write(`${JSON.stringify(message)}\n`);
    child.stdin.on('error', () => undefined);
    child.once('error', (error: NodeJS.ErrnoException) => none(error.code ?? 'codex can’t be run'));
    child.once('exit', () => none('codex ended without an answer'));
    lines.on('line', (line) => {
      const message = line.length > LINE_MAX ? undefined : parsed(line);
      if (message?.['error'] !== undefined && (message['id'] === INITIALIZE || message['id'] === LIST)) {
        none('this codex can’t tell');
      } else if (message?.['id'] === INITIALIZE) {
        send({ method: 'initialized' });
        send({ id: LIST, method: 'hooks/list', params: { cwds: [cwd] } });
      } else if (message?.['id'] === LIST) end({ kind: 'answer', result: message['result'] });
    });
    const clientInfo = { name: 'agent-mascot', title: 'Agent Mascot', version: '1' };
    send({ id: INITIALIZE, method: 'initialize', params: { clientInfo } });
  });
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
