import path from 'node:path';
import * as z from 'zod/mini';
import { type Collector, findCollector, isCollector } from '../../../forwarder/collector.ts';
import { readVariables } from '../../../forwarder/environment.ts';
import type { CollectorState, DoctorWorld } from '../../app/hooks/doctorPorts.ts';
import { HEALTH_TEXT } from '../../protocol/discovery.ts';
import type { Storing } from '../../protocol/reading.ts';
import type { Home } from '../machine/home.ts';
import type { AgentPlaces } from './agentPlaces.ts';
import { findClaudePrograms } from './claudePrograms.ts';
import { inlineHooksFile, readCodexTrust } from './codexTrust.ts';
import { type Answered, answerOf } from './doctorAsks.ts';
import { lookAtEntry, lookAtLog, lookAtSpool, lookForRuntime } from './doctorLooks.ts';
import { findManagedPolicies, policyFolders } from './managedPolicy.ts';
import { plainEnvironment } from './runProgram.ts';
import { agentsHere } from './scopes.ts';
import { runTrial, timeCost, type TrialParts } from './trial.ts';

export interface DoctorWorldParts {
  readonly home: Home;
  /** The folder with the built entry and forwarder. */
  readonly built: string;
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  readonly places: AgentPlaces;
  readonly platform: NodeJS.Platform;
}

const FIND_LIMIT_MS = 2_000;

/** HKI-5: everything that hooks need, as it is on this machine now. */
export function createDoctorWorld(parts: DoctorWorldParts): DoctorWorld {
  const { home, built, version, env, places, platform } = parts;
  const variables = { ...readVariables(env), AGENT_MASCOT_HOME: home.folder };
  const find = () => findCollector(variables, FIND_LIMIT_MS, () => undefined);

  const trialParts = (): TrialParts => ({
    environment: { ...plainEnvironment(env), HOME: places.person },
    platform,
    cwd: places.person,
    async arrivalOf(id) {
      const found = await find();
      return isCollector(found) ? arrivalIn(found, id) : undefined;
    },
  });

  return {
    entry: () => lookAtEntry(home, built, version),
    runtime: () => lookForRuntime(home, env),
    async collector() {
      const found = await find();
      if (isCollector(found)) return stateOf(found);
      return found.why === undefined ? { kind: 'none' } : { kind: 'dead', why: found.why };
    },
    spool: () => lookAtSpool(home),
    trial: (command) => runTrial(command, trialParts()),
    cost: (command) => timeCost(command, trialParts()),
    logLines: () => lookAtLog(home),
    managedPolicies: () => findManagedPolicies(policyFolders(platform)),
    claudePrograms: () => findClaudePrograms(env, places.person),
    codexTrust: (scope, commands) => readCodexTrust({ file: scope.file, commands, env }),
    codexInline: (scope) => inlineHooksFile(path.dirname(scope.file)),
    agentsHere: () => agentsHere(places),
  };
}

/** It must be there, and take the token that hooks would use. */
async function stateOf(collector: Collector): Promise<CollectorState> {
  const url = collector.url.origin;
  const health = await answerOf(collector, '/health');
  if (typeof health === 'string') return { kind: 'dead', why: `${url}: ${health}` };
  if (health.status !== 200 || !health.body.startsWith(HEALTH_TEXT)) {
    return { kind: 'dead', why: `${url} answers, and is not Agent Mascot` };
  }
  const answer = await answerOf(collector, '/api/sessions?limit=1');
  if (typeof answer === 'string') return { kind: 'dead', why: `${url}: ${answer}` };
  if (answer.status !== 200) return { kind: 'dead', why: `${url} answered ${answer.status}` };
  return { kind: 'live', url, storing: storingIn(await answerOf(collector, '/api/storing')) };
}

/** The part of `/api/storing` that is asked for. The command line may not hold the whole of zod, by which the protocol says it. */
const intakeSchema = z.object({
  storing: z.object({
    ok: z.boolean(),
    code: z.optional(z.string()),
    folder: z.optional(z.string()),
    since: z.optional(z.string()),
    refused: z.optional(z.number()),
  }),
});

function storingIn(answer: Answered | string): Storing | undefined {
  if (typeof answer === 'string' || answer.status !== 200) return undefined;
  return intakeSchema.safeParse(parsed(answer.body)).data?.storing;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function arrivalIn(collector: Collector, id: string): Promise<number | undefined> {
  const answer = await answerOf(collector, `/api/hook-trials/${encodeURIComponent(id)}`);
  if (typeof answer === 'string' || answer.status !== 200) return undefined;
  try {
    const { arrived, ms } = JSON.parse(answer.body) as { readonly arrived?: unknown; readonly ms?: unknown };
    return arrived === true && typeof ms === 'number' ? ms : undefined;
  } catch {
    return undefined;
  }
}
