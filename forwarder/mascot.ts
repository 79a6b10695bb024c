import { PAGE_DEFAULT, PAGE_MAX } from '../src/protocol/limits.ts';
import { findCollector, isCollector } from './collector.ts';
import type { Collector } from './collector.ts';
import { readVariables } from './environment.ts';
import { sessionLines, statusLines } from './mascotText.ts';
import { writeWhole } from './output.ts';
import { send } from './request.ts';
import { parseObject } from './payload.ts';

declare const __PRODUCT_VERSION__: string;

const exitCodes = { ok: 0, failed: 1, wrongUsage: 2, noCollector: 3 } as const;

/** A person waits longer than a hook, and the answer may be long. */
const ANSWER_DEADLINE_MS = 10_000;
const ANSWER_MAX_BYTES = 64 * 1024 * 1024;

const help = `Usage: mascot <command> [options]

Commands:
  status     who runs the collector, and how many sessions wait, work or are yours to go on with
  sessions   the sessions, newest first

Options:
  --json     print JSON instead of text
  --limit N  sessions: how many, 1 to ${PAGE_MAX} (default ${PAGE_DEFAULT})
  --help     print this
  --version  print the version

Exit codes: 0 done, 1 failed or refused, 2 wrong usage, 3 no collector is running.
`;

interface Options {
  readonly json: boolean;
  readonly limit: number;
}

interface Command {
  readonly takesLimit: boolean;
  readonly path: (options: Options) => string;
  readonly lines: (answer: Readonly<Record<string, unknown>>, collector: Collector, now: number) => readonly string[];
}

const commands: Readonly<Record<string, Command>> = {
  status: {
    takesLimit: false,
    path: () => '/api/state',
    lines: (answer, { url }) => statusLines(answer, url.origin),
  },
  sessions: {
    takesLimit: true,
    path: ({ limit }) => `/api/sessions?limit=${limit}`,
    lines: (answer, _collector, now) => sessionLines(answer, now),
  },
};

class MascotError extends Error {
  readonly exitCode: number;
  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

try {
  print(await run(process.argv.slice(2)));
  process.exit(exitCodes.ok);
} catch (error) {
  writeWhole(2, `mascot: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(error instanceof MascotError ? error.exitCode : exitCodes.failed);
}

async function run(args: readonly string[]): Promise<string> {
  if (args.includes('--help') || args.includes('-h') || args[0] === 'help') return help;
  if (args.includes('--version')) return `${__PRODUCT_VERSION__}\n`;
  const [name, ...rest] = args;
  if (name === undefined) throw new MascotError(exitCodes.wrongUsage, `say what to do\n\n${help.trimEnd()}`);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw wrongUsage(`there is no command "${name}"`);
  const options = parseOptions(command, rest);

  const collector = await findCollector(readVariables(process.env), ANSWER_DEADLINE_MS);
  if (!isCollector(collector)) throw new MascotError(exitCodes.noCollector, noCollectorMessage(collector.why));
  const answer = await ask(collector, command.path(options));
  if (options.json) return `${JSON.stringify(answer, undefined, 2)}\n`;
  return `${command.lines(answer, collector, Date.now()).join('\n')}\n`;
}

function parseOptions(command: Command, args: readonly string[]): Options {
  let json = false;
  let limit: number = PAGE_DEFAULT;
  for (let at = 0; at < args.length; at++) {
    const argument = args[at];
    if (argument === '--json') json = true;
    else if (argument === '--limit' && command.takesLimit) limit = parseLimit(args[++at]);
    else throw wrongUsage(`"${argument}" is not understood here`);
  }
  return { json, limit };
}

function parseLimit(text: string | undefined): number {
  const limit = /^\d{1,4}$/.test(text ?? '') ? Number(text) : 0;
  if (limit < 1 || limit > PAGE_MAX) throw wrongUsage(`--limit takes a number from 1 to ${PAGE_MAX}`);
  return limit;
}

async function ask(collector: Collector, path: string): Promise<Readonly<Record<string, unknown>>> {
  const { url, token } = collector;
  const deadlineMs = ANSWER_DEADLINE_MS;
  const reply = await send({ url, method: 'GET', path, token, deadlineMs, replyMaxBytes: ANSWER_MAX_BYTES });
  const where = `the collector at ${url.origin}`;
  if (reply === 'refused' || reply === 'unreachable' || reply === 'connect-timeout') {
    throw new MascotError(exitCodes.noCollector, noCollectorMessage(`${where} can't be reached`));
  }
  if (typeof reply === 'string') throw new MascotError(exitCodes.failed, `${where} gave no usable answer (${reply})`);
  if (reply.status === 401 || reply.status === 403) {
    throw new MascotError(
      exitCodes.failed,
      `${where} refused: set MASCOT_TOKEN to its token, or reload the VS Code window`,
    );
  }
  const answer = parseObject(reply.body);
  if (reply.status !== 200 || !answer) {
    throw new MascotError(
      exitCodes.failed,
      `${where} answered ${reply.status}; is it Agent Mascot, and of this version?`,
    );
  }
  return answer;
}

function wrongUsage(message: string): MascotError {
  return new MascotError(exitCodes.wrongUsage, `${message}; "mascot --help" lists what there is`);
}

function noCollectorMessage(why: string | undefined): string {
  return why ?? 'no collector is running; open VS Code with Agent Mascot, or run headless.js, and try again';
}

function print(text: string): void {
  writeWhole(1, text);
}
