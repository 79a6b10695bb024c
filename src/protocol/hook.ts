import { z } from 'zod';
import type { JsonObject } from './json.ts';
import { jsonObjectSchema } from './jsonSchema.ts';
import { textWithin } from './textSchema.ts';

export const providerIds = ['claude', 'codex', 'gemini', 'copilot'] as const;
export type ProviderId = (typeof providerIds)[number];

/** A field of the wrong type is as good as absent: nothing that the forwarder adds may cost us the hook itself. */
const text = textWithin(1).optional().catch(undefined);
const integer = z.int().nonnegative().optional().catch(undefined);

/** What the forwarder adds to a hook's payload, under `_meta`. */
export const hookMetaSchema = z.object({
  workspace_id: text,
  terminal_session_id: text,
  collected_at: z.iso.datetime({ offset: true }).optional().catch(undefined),
  delivery_id: textWithin(1, 200).optional().catch(undefined),
  forwarder_version: text,
  provider: text,
  /** The hook's name, told to the forwarder by the installed command, for agents whose payload does not say it. */
  event: text,
  /** The agent's own word for how it was started, from its environment: cli, sdk-cli, claude-vscode… */
  entrypoint: text,
  cwd: text,
  /** `CLAUDE_PROJECT_DIR`: the folder the agent was started for; `cwd` follows the agent's `cd`. */
  project_dir: text,
  tty: text,
  agent_pid: integer,
  agent_started_at: text,
  ancestors: z.array(z.int().nonnegative()).optional().catch(undefined),
  host: text,
  pid_namespace: text,
  fingerprint: text,
  /** False: the person wants this agent to be told nothing of earlier sessions (MEM-3). */
  memory: z.boolean().optional().catch(undefined),
  /** GRD-3: it asks the guard for this edit. Found in the spool, nobody answered and the edit went through. */
  guard: z.literal('asks').optional().catch(undefined),
});
export type HookMeta = z.infer<typeof hookMetaSchema>;

const NAME_MAX = 200;

/** The agents' own field goes first; an empty or broken one does not hide the other. */
function eventNameIn(payload: JsonObject): string | undefined {
  const names = [payload['hook_event_name'], payload['hook_type']].filter((name) => typeof name === 'string');
  return names.map((name) => name.trim().slice(0, NAME_MAX)).find((name) => name !== '');
}

/** The body of `POST /ingest`: the agent's own payload, whole, with `_meta` beside it. */
export const hookEnvelopeSchema = jsonObjectSchema.transform((payload, context) => {
  const name = eventNameIn(payload);
  if (name === undefined) {
    context.addIssue({
      code: 'custom',
      message: 'names no event: hook_event_name (or hook_type) must be a non-empty string',
    });
    return z.NEVER;
  }
  const { _meta, ...raw } = payload;
  return { name, meta: hookMetaSchema.catch({}).parse(_meta ?? {}), raw };
});
export type HookEnvelope = z.infer<typeof hookEnvelopeSchema>;
