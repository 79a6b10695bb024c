import { readlinkSync } from 'node:fs';
import { readVariables } from '../../forwarder/environment.ts';
import { readBootTime, readPidNamespace, readProcess } from '../../forwarder/linuxProcesses.ts';
import { listProcesses } from '../../forwarder/listedProcesses.ts';
import { ancestorsOf, plainName, type Process } from '../../forwarder/processes.ts';
import { descriptors, type ProviderDescriptor } from '../protocol/providers.ts';
import { printable } from './text.ts';

/** SEC-7: the agent that runs this command; the command reaches only that agent's session and project. */
export interface AgentAround {
  /** How we know that an agent runs it, for the end of a sentence. */
  readonly sign: string;
  /** The value of `AGENT_HEADER` in requests to the collector. */
  readonly claim: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Agent programs without a provider: what is known of them is in their documentation. */
const otherAgents = {
  programs: 'pi pi-coding-agent amp crush cline goose aider auggie kilo kilocode droid agy'.split(' '),
  programsWithHelpers: ['qwen', 'opencode', 'kimi'],
  variables: [
    ...['QWEN_CODE', 'QWEN_CODE_SESSION_ID', 'OPENCODE', 'OPENCODE_PID', 'PI_CODING_AGENT', 'PI_SESSION_ID'],
    ...['DROID_PROJECT_DIR', 'FACTORY_PROJECT_DIR', 'CLINE_ACTIVE', 'GOOSE_TERMINAL', 'AUGMENT_AGENT'],
  ],
};
const signs = Object.values<ProviderDescriptor>(descriptors).flatMap((descriptor) => descriptor.signs ?? []);

/** Ours is first. */
const agentVariables = ['MASCOT_SESSION_ID', ...signs.flatMap(({ variables }) => variables), ...otherAgents.variables];
const programsWithHelpers = [...signs.flatMap(({ programs }) => programs), ...otherAgents.programsWithHelpers];

/** `codex-linux-sandbox` is a helper of `codex`, and `gemini-cli` the package of `gemini`. */
function isAgentProgram(name: string): boolean {
  if (otherAgents.programs.includes(name)) return true;
  return programsWithHelpers.some((program) => name === program || name.startsWith(`${program}-`));
}

/** Programs that run a script named in their arguments. */
const interpreters = /^(?:node|nodejs|node-?MainThread|MainThread|bun|deno|python[\d.]*)$/;

/** The ancestors of this process, nearest first; empty if the system does not list them. */
export async function processesAbove(
  { platform, ppid }: Pick<NodeJS.Process, 'platform' | 'ppid'>,
  env: Environment,
): Promise<readonly Process[]> {
  if (platform === 'linux') {
    const bootTime = readBootTime();
    return ancestorsOf(ppid, (pid) => readProcess(pid, bootTime));
  }
  const listed = new Map((await listProcesses(platform, readVariables(env))).map((each) => [each.pid, each]));
  return ancestorsOf(ppid, (pid) => listed.get(pid));
}

/** Finds the agent by variables and by ancestors, so hiding one of them is not enough; undefined: a person runs the command. */
export function agentAround(env: Environment, above: readonly Process[], cwd: string): AgentAround | undefined {
  const variable = agentVariables.find((name) => env[name]?.trim());
  const agent = above.find(isAgent);
  if (variable === undefined && agent === undefined) return undefined;
  const sign = variable === undefined ? `${printable(agent?.name ?? '')} runs above it` : `${variable} is set`;
  const session = env['MASCOT_SESSION_ID']?.trim();
  const namespace = readPidNamespace();
  const claim = new URLSearchParams({
    ...(session ? { session } : {}),
    ...(above.length > 0 ? { processes: above.map(({ pid }) => pid).join() } : {}),
    ...(namespace === undefined ? {} : { namespace }),
    folder: (agent && folderOf(agent.pid)) ?? cwd,
  });
  return { sign, claim: claim.toString() };
}

function isAgent({ name, readArguments }: Process): boolean {
  const plain = plainName(name);
  if (isAgentProgram(plain.toLowerCase())) return true;
  if (!interpreters.test(plain)) return false;
  const script = readArguments?.()
    .slice(1)
    .find((argument) => !argument.startsWith('-'));
  const packaged = /.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?([^\\/]+)/.exec(script ?? '')?.[1] ?? '';
  return isAgentProgram(plainName(script ?? '')) || isAgentProgram(packaged);
}

/** The agent's own working folder; its shell may be in another one. */
function folderOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}
