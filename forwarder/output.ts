import { writeSync } from 'node:fs';
import { isObject } from './payload.ts';

const STDOUT = 1;
const STDERR = 2;

/** A reader that takes nothing for this long has gone; the hook must end. */
const STUCK_MS = 2_000;
const PAUSE_MS = 5;

/** Prints what `readOutput` returned. */
export function printOutput(json: string): void {
  writeWhole(STDOUT, `${json}\n`);
}

/** Twice what an agent takes into its conversation. */
const OUTPUT_MAX = 20_000;

/** Returns the value if it has this shape, else undefined, which drops it. */
type Shape = (value: unknown) => unknown;

const text: Shape = (value) => (typeof value === 'string' ? value : undefined);
const count: Shape = (value) => (typeof value === 'number' ? value : undefined);
const only =
  (word: string): Shape =>
  (value) =>
    value === word ? word : undefined;
const listOf =
  (shape: Shape): Shape =>
  (value) =>
    Array.isArray(value) ? value.map(shape).filter((item) => item !== undefined) : undefined;
const fields =
  (shapes: Readonly<Record<string, Shape>>): Shape =>
  (value) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, shape(value[name])]))
      : undefined;

/**
 * SEC-8: every field that a hook can print (`src/protocol/hookOutput.ts`). None of them grants anything: an `allow`, an approval, a
 * changed input or a new rule is dropped, whoever sends it.
 */
const output = fields({
  hookSpecificOutput: fields({
    hookEventName: text,
    additionalContext: text,
    permissionDecision: only('deny'),
    permissionDecisionReason: text,
  }),
  decision: only('block'),
  reason: text,
  context: fields({
    active_work_item: (value) => (value === null ? null : fields({ id: text, title: text })(value)),
    loaded_docs: listOf(text),
    session_state: text,
    tokens_used: count,
    token_budget: count,
  }),
  notifications: listOf(fields({ level: text, title: text, message: text, action: text })),
  suggestions: listOf(text),
  metadata: fields({}),
});

/** The part of an answer that may be printed, as JSON; undefined if there is none. */
export function readOutput(answered: unknown): string | undefined {
  const read = output(answered);
  if (!isObject(read) || !isObject(read['hookSpecificOutput'])) return undefined;
  const json = JSON.stringify(read);
  return json.length > OUTPUT_MAX ? undefined : json;
}

/** Does this output hold anything for the agent? The rest matters only if the forwarder runs by hand. */
export function tellsAgent(json: string): boolean {
  const { hookSpecificOutput } = JSON.parse(json) as { hookSpecificOutput: object };
  return Object.keys(hookSpecificOutput).length > 1;
}

/** One line, whatever is in the message. */
export function complain(message: string): void {
  writeWhole(STDERR, `agent-mascot: ${message.replace(/\s+/g, ' ').trim()}\n`);
}

/** Synchronous, because the process ends right after; a full pipe is waited for, a closed one is nobody's loss. */
export function writeWhole(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  const until = performance.now() + STUCK_MS;
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > until) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
