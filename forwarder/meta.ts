import type { HookMeta } from '../src/protocol/hook.ts';
import type { Variables } from './environment.ts';
import type { Origin } from './origin.ts';
import { isObject, startsSession, textOf } from './payload.ts';
import type { Payload } from './payload.ts';
import { providerOf } from './provider.ts';
import { terminalSessionId } from './terminal.ts';

export interface Delivery {
  readonly id: string;
  readonly collectedAt: string;
  /** Undefined: no forwarder brought it. */
  readonly forwarderVersion?: string | undefined;
  readonly providerArgument?: string | undefined;
  readonly eventArgument?: string | undefined;
  /** Of the hook's process; undefined when its folder was deleted under it. */
  readonly cwd?: string | undefined;
  /** The machine or container that the hook ran on. */
  readonly host?: string | undefined;
}

/** What the forwarder knows and the payload does not (FWD-2). Fields without a value are left out. */
export function buildMeta(
  payload: Payload,
  variables: Variables,
  origin: Origin,
  delivery: Delivery,
  sha256Hex?: (text: string) => string,
): HookMeta {
  const cwd = textOf(payload, 'cwd') ?? delivery.cwd;
  const startFolder = variables.CLAUDE_PROJECT_DIR ?? cwd;
  return {
    workspace_id:
      own(payload, 'workspace_id') ?? baseName(startFolder ?? '') ?? baseName(delivery.cwd ?? '') ?? 'unknown',
    terminal_session_id: own(payload, 'terminal_session_id') ?? terminalSessionId(variables, origin.agent?.tty),
    collected_at: delivery.collectedAt,
    delivery_id: delivery.id,
    forwarder_version: delivery.forwarderVersion,
    provider: providerOf(delivery.providerArgument, variables.MASCOT_PROVIDER, payload),
    event: delivery.eventArgument,
    entrypoint: variables.CLAUDE_CODE_ENTRYPOINT,
    cwd,
    project_dir: variables.CLAUDE_PROJECT_DIR,
    tty: origin.agent?.tty,
    agent_pid: origin.agent?.pid,
    agent_started_at: origin.agent?.startedAt,
    ancestors: [...origin.ancestors],
    host: delivery.host || undefined,
    pid_namespace: origin.pidNamespace,
    memory: variables.AGENT_MASCOT_MEMORY === '0' ? false : undefined,
    fingerprint: sha256Hex && startsSession(payload) ? fingerprint(startFolder, origin, sha256Hex) : undefined,
  };
}

/** SES-1: tells two terminals in one folder apart. Without the agent's process it would tell nothing. */
function fingerprint(
  startFolder: string | undefined,
  { agent }: Origin,
  sha256Hex: (text: string) => string,
): string | undefined {
  if (!agent?.startedAt) return undefined;
  const start = Math.floor(Date.parse(agent.startedAt) / 1000);
  return sha256Hex(`${startFolder ?? ''}:${agent.tty ?? ''}:${agent.pid}:${start}`).slice(0, 16);
}

function own(payload: Payload, key: string): string | undefined {
  const meta = payload['_meta'];
  return (isObject(meta) ? textOf(meta, key) : undefined) ?? textOf(payload, key);
}

/** Of a Windows path too, whichever side this runs on; a root folder has no name of its own and is its own. */
export function baseName(folder: string): string | undefined {
  const isWindowsPath = /^([A-Za-z]:[\\/]|\\\\)/.test(folder);
  const parts = folder.split(isWindowsPath ? /[\\/]+/ : /\/+/).filter((part) => part !== '');
  return parts.at(-1) ?? (folder || undefined);
}
