import { hookEnvelopeSchema } from '../../protocol/hook.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { createHub } from '../hub.ts';
import { createLeftOut } from '../leftOut.ts';
import { createPipeline } from '../pipeline.ts';
import { fakeClock, IDLE_MS, keepsAll, logLines } from '../testkit/fakes.testkit.ts';
import { memoryStore } from '../testkit/memoryStore.testkit.ts';
import { fakeSources } from '../testkit/sources.testkit.ts';
import { startWatching } from './startWatching.ts';

export const START = Date.parse('2026-01-01T00:00:00.000Z');
export const config = '/home/dev/.claude';
export const transcript = `${config}/projects/-home-dev-project/s.jsonl`;

/** A collector without a server: hooks go in, transcripts and processes are the test's, the shown state comes out. */
export function setUpWatch(store = memoryStore(), clock = fakeClock(START), excludes = (_folder: string) => false) {
  const log = logLines();
  const owner = { instance: 'i', generation: 1, app: 'test', version: '0', startedAt: '' };
  const hub = createHub({ store, clock, log, owner, unreduced: [], idleMs: () => IDLE_MS });
  const projects = { locate: (path: string) => Promise.resolve({ path }) };
  const leftOut = createLeftOut({ exclusions: { excludes }, hub });
  const pipeline = createPipeline({ ...keepsAll(), store, hub, projects, leftOut, clock, log });
  const sources = fakeSources([{ provider: 'claude', folder: `${config}/projects`, layout: 'projects' }], clock.now);
  const watching = startWatching({ hub, pipeline, sources, erased: store.erased, clock, log });
  let deliveries = 0;

  /** Everything that is under way has come to rest. */
  async function rest(): Promise<void> {
    for (let round = 0; round < 8; round++) await new Promise((resolve) => setImmediate(resolve));
  }

  async function hook(name: string, fields: JsonObject = {}, meta: JsonObject = {}): Promise<void> {
    const collected_at = new Date(clock.now()).toISOString();
    const delivery_id = `d${START}-${deliveries++}`;
    const payload = { hook_event_name: name, session_id: 's', cwd: '/home/dev/project', transcript_path: transcript };
    await pipeline.ingest(
      hookEnvelopeSchema.parse({ ...payload, ...fields, _meta: { delivery_id, collected_at, host: 'here', ...meta } }),
    );
    await rest();
  }

  async function pass(ms: number): Promise<void> {
    clock.advance(ms);
    await rest();
  }

  const session = (id = 's') => hub.snapshot().sessions.find((each) => each.id === id);
  const phase = (id = 's') => {
    const found = session(id);
    return (
      found && [found.state, found.phase, found.phaseBecause?.source, found.phaseBecause?.by].filter(Boolean).join(' ')
    );
  };
  const agent = (id = 's/main') => hub.snapshot().agents.find((each) => each.id === id);
  return { store, clock, log, hub, leftOut, pipeline, sources, watching, hook, pass, rest, session, phase, agent };
}

/** Lines as Claude Code writes them. */
export const line = {
  user: (at: number, content: unknown, more: object = {}) =>
    entry('user', at, { message: { role: 'user', content }, ...more }),
  assistant: (at: number, id: string, content: object, more: object = {}) =>
    entry('assistant', at, {
      message: {
        id,
        role: 'assistant',
        model: 'claude-opus-5-5',
        content: [content],
        usage: {
          input_tokens: 1200,
          cache_creation_input_tokens: 100,
          cache_read_input_tokens: 900,
          output_tokens: 42,
        },
        ...more,
      },
    }),
  interrupted: (at: number) =>
    entry('user', at, {
      message: { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] },
      interruptedMessageId: 'm1',
    }),
  denied: (at: number, toolUseId: string) =>
    entry('user', at, {
      message: {
        role: 'user',
        content: [{ type: 'tool_result', is_error: true, tool_use_id: toolUseId, content: 'denied' }],
      },
      toolDenialKind: 'user-rejected',
    }),
};

export const statusFolder = `${config}/sessions`;

/** What Claude Code writes about its own session. */
export const own = (status: string, at: number, more: object = {}) => ({
  pid: 42,
  sessionId: 's',
  cwd: '/home/dev/project',
  status,
  statusUpdatedAt: START + at,
  pidDomain: 'linux:0123:pid:[1]',
  procStart: '158556',
  ...more,
});

export const bash = (id: string) => ({ tool_name: 'Bash', tool_use_id: id, tool_input: { command: 'npm test' } });
export const text = (words: string) => ({ type: 'text', text: words });

let lines = 0;

function entry(type: string, at: number, more: object): object {
  const timestamp = new Date(START + at).toISOString();
  return {
    type,
    uuid: `line-${lines++}`,
    timestamp,
    sessionId: 's',
    cwd: '/home/dev/project',
    entrypoint: 'cli',
    ...more,
  };
}
