import * as z from 'zod/mini';
import type { JsonObject } from './json.ts';
import { jsonObjectSchema } from './jsonSchema.ts';
import { textWithin } from './textSchema.ts';

/** A field of the wrong type is as good as absent: nothing that the forwarder adds may cost us the hook itself. */
const text = z.catch(z.optional(textWithin(1)), undefined);
const integer = z.catch(z.optional(z.int().check(z.nonnegative())), undefined);

/** What the forwarder adds to a hook's payload, under `_meta`. */
export const hookMetaSchema = z.object({
  workspace_id: text,
  terminal_session_id: text,
  collected_at: z.catch(z.optional(z.iso.datetime({ offset: true })), undefined),
  delivery_id: z.catch(z.optional(textWithin(1, 200)), undefined),
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
  ancestors: z.catch(z.optional(z.array(z.int().check(z.nonnegative()))), undefined),
  host: text,
  pid_namespace: text,
  fingerprint: text,
  /** False: the person wants this agent to be told nothing of earlier sessions (MEM-3). */
  memory: z.catch(z.optional(z.boolean()), undefined),
  /** GRD-3: it asks the guard for this edit. Found in the spool, nobody answered and the edit went through. */
  guard: z.catch(z.optional(z.literal('asks')), undefined),
});
export type HookMeta = z.infer<typeof hookMetaSchema>;

const metaOrNone = z.catch(hookMetaSchema, {});

/** Drops fields of the wrong type; returns an empty object if the value is not an object. */
export function readHookMeta(value: unknown): HookMeta {
  return metaOrNone.parse(value);
}

const NAME_MAX = 200;

/** The agents' own field goes first; an empty or broken one does not hide the other. */
function eventNameIn(payload: JsonObject): string | undefined {
  const names = [payload['hook_event_name'], payload['hook_type']].filter((name) => typeof name === 'string');
  const name = names.map((each) => each.trim().slice(0, NAME_MAX)).find((each) => each !== '');
  return name?.toLowerCase() === 'subagent' ? subagentHook(payload) : name;
}

/** Fields that only a sub-agent's end has. */
const endFields = ['last_assistant_message', 'agent_transcript_path', 'stop_hook_active', 'result', 'summary', 'error'];

/** Older senders have one word for a sub-agent's start and for its end. */
function subagentHook(payload: JsonObject): string {
  return endFields.some((field) => payload[field] !== undefined) ? 'SubagentStop' : 'SubagentStart';
}

/** The body of `POST /ingest`: the agent's own payload, whole, with `_meta` beside it. */
export const hookEnvelopeSchema = z.pipe(
  jsonObjectSchema,
  z.transform((payload, context) => {
    const name = eventNameIn(payload);
    if (name === undefined) {
      context.issues.push({
        code: 'custom',
        input: payload,
        message: 'names no event: hook_event_name (or hook_type) must be a non-empty string',
      });
      return z.NEVER;
    }
    const { _meta, ...raw } = payload;
    return { name, meta: readHookMeta(_meta ?? {}), raw };
  }),
);
export type HookEnvelope = z.infer<typeof hookEnvelopeSchema>;
