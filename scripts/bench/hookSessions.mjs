/**
 * Hooks of made-up sessions, in English and Korean: prompts, tool calls with answers of about 2 kB, sub-agents, replies. A seed
 * and the number of a session make the same hooks in every run; only the time of a hook is that of its sending.
 */
import { createRandom, createTexts } from './searchTexts.mjs';

/** A session ends after the turn in which it reaches this many hooks; that makes 202 on average. */
const HOOKS_OF_A_SESSION = 190;

const POOL_TEXTS = 1_500;
/** `createTexts` makes English, Korean and code from these numbers and from every seventh number after them. */
const NUMBER_OF = { english: 0, korean: 1, code: 2 };
const SCRIPTS_IN_TURN = 7;

const FILES = 30;
const HASH = 2_654_435_761;

/** Two early sessions have these words in their first prompts; no other text has them. */
export const PLANTED_WORDS = ['quillfeather', '은하수고양이'];
const PLANTED_SESSIONS = [3, 20];

/**
 * @typedef {object} Hook
 * @property {Record<string, unknown>} payload
 * @property {string} provider
 * @property {string} deliveryId
 * @property {boolean} isInteraction  a prompt or a reply: a search can find it
 *
 * @typedef {{ name: string, input: Record<string, unknown>, answer: string, response: Record<string, unknown>, fails: boolean }} ToolCall
 *
 * @typedef {object} Dialect  what an agent program puts into its hooks
 * @property {string} provider
 * @property {boolean} subagents
 * @property {(session: SessionFacts) => Record<string, unknown>} common
 * @property {(source: string) => Record<string, unknown>} begin
 * @property {(prompt: string) => Record<string, unknown>} prompt
 * @property {(call: ToolCall, id: string) => Record<string, unknown>} before
 * @property {(call: ToolCall, id: string) => Record<string, unknown>} after
 * @property {(reply: string, prompt: string) => Record<string, unknown>} stop
 *
 * @typedef {{ id: string, project: string, promptId: string }} SessionFacts
 */

/** @type {Dialect} */
const claude = {
  provider: 'claude',
  subagents: true,
  common: ({ id, project, promptId }) => ({
    session_id: id,
    transcript_path: `/home/dev/.claude/projects/${project.replaceAll('/', '-')}/${id}.jsonl`,
    cwd: project,
    prompt_id: promptId,
    permission_mode: 'acceptEdits',
  }),
  begin: (source) => ({ hook_event_name: 'SessionStart', source, model: 'claude-opus-5-5' }),
  prompt: (prompt) => ({ hook_event_name: 'UserPromptSubmit', prompt }),
  before: ({ name, input }, id) => ({
    hook_event_name: 'PreToolUse',
    tool_name: name,
    tool_input: input,
    tool_use_id: id,
  }),
  after: ({ name, input, answer, response, fails }, id) => ({
    hook_event_name: fails ? 'PostToolUseFailure' : 'PostToolUse',
    tool_name: name,
    tool_input: input,
    ...(fails ? { error: answer, is_interrupt: false } : { tool_response: response }),
    tool_use_id: id,
    duration_ms: 40 + answer.length,
  }),
  stop: (reply) => ({ hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: reply }),
};

/** @type {Dialect} */
const codex = {
  ...claude,
  provider: 'codex',
  common: ({ id, project, promptId }) => ({
    session_id: id,
    turn_id: promptId,
    transcript_path: `/home/dev/.codex/sessions/2026/11/18/rollout-2026-11-18T11-44-28-${id}.jsonl`,
    cwd: project,
    model: 'gpt-6.1-sol',
    permission_mode: 'default',
  }),
  begin: (source) => ({ hook_event_name: 'SessionStart', source }),
  after: ({ name, input, answer }, id) => ({
    hook_event_name: 'PostToolUse',
    tool_name: name,
    tool_input: input,
    tool_response: answer,
    tool_use_id: id,
  }),
};

/** @type {Dialect} */
const gemini = {
  provider: 'gemini',
  subagents: false,
  common: ({ id, project }) => ({
    session_id: id,
    transcript_path: `/home/dev/.gemini/tmp/project/chats/session-2026-11-18T11-54-${id.slice(0, 8)}.jsonl`,
    cwd: project,
    timestamp: new Date().toISOString(),
  }),
  begin: (source) => ({ hook_event_name: 'SessionStart', source }),
  prompt: (prompt) => ({ hook_event_name: 'BeforeAgent', prompt }),
  before: ({ name, input }) => ({ hook_event_name: 'BeforeTool', tool_name: name, tool_input: input }),
  after: ({ name, input, answer }) => ({
    hook_event_name: 'AfterTool',
    tool_name: name,
    tool_input: input,
    tool_response: { llmContent: `Output: ${answer}`, returnDisplay: answer.slice(0, 200) },
  }),
  stop: (reply, prompt) => ({
    hook_event_name: 'AfterAgent',
    prompt,
    prompt_response: reply,
    stop_hook_active: false,
  }),
};

/** The agent programs of eight sessions in a row. */
const DIALECTS = [claude, codex, claude, claude, gemini, claude, codex, claude];

/**
 * Returns a function that makes the hooks of a session, in their order, from the session's number.
 * @param {number} seed
 * @returns {(index: number) => Generator<Hook>}
 */
export function createHookSessions(seed) {
  const textOf = createTexts(seed);
  const poolOf = (/** @type {number} */ number) =>
    Array.from({ length: POOL_TEXTS }, (_, n) => textOf(number + n * SCRIPTS_IN_TURN));
  const pools = {
    english: poolOf(NUMBER_OF.english),
    korean: poolOf(NUMBER_OF.korean),
    code: poolOf(NUMBER_OF.code),
  };
  return (index) => hooksOf(index, createWriter(pools, randomOf(seed, index)));
}

/**
 * @param {number} seed
 * @param {number} index
 */
function randomOf(seed, index) {
  const random = createRandom(Math.imul(seed * 1_000_003 + index + 1, HASH) >>> 0);
  // The first numbers of neighbouring seeds are alike.
  for (let n = 0; n < 5; n++) random();
  return random;
}

/**
 * @param {number} index
 * @param {ReturnType<typeof createWriter>} writer
 * @returns {Generator<Hook>}
 */
function* hooksOf(index, { random, between, uuid, prose, toolCall, project }) {
  const dialect = DIALECTS[index % DIALECTS.length] ?? claude;
  /** @type {SessionFacts} */
  const session = { id: uuid(), project, promptId: uuid() };
  let count = 0;
  /** @param {Record<string, unknown>} words @param {boolean} [isInteraction] @returns {Hook} */
  const hook = (words, isInteraction = false) => {
    count++;
    return {
      payload: { ...dialect.common(session), ...words },
      provider: dialect.provider,
      deliveryId: uuid(),
      isInteraction,
    };
  };
  /** @param {number} calls @param {Record<string, unknown>} [agent] */
  function* work(calls, agent = {}) {
    for (let n = 0; n < calls; n++) {
      const [call, id] = [toolCall(), `toolu_${uuid()}`];
      yield hook({ ...dialect.before(call, id), ...agent });
      yield hook({ ...dialect.after(call, id), ...agent });
    }
  }

  yield hook(dialect.begin('startup'));
  for (let turn = 0; count < HOOKS_OF_A_SESSION; turn++) {
    session.promptId = uuid();
    const planted = turn === 0 && PLANTED_SESSIONS.includes(index) ? ` ${PLANTED_WORDS.join(' ')}` : '';
    const prompt = prose(40, 700) + planted;
    yield hook(dialect.prompt(prompt), true);
    yield* work(between(4, 12));
    if (dialect.subagents && random() < 0.3) {
      const [task, id] = [prose(200, 800), `toolu_${uuid()}`];
      const agent = { agent_id: uuid(), agent_type: 'Explore' };
      const report = prose(300, 1_500);
      const input = { description: task.slice(0, 30), prompt: task, subagent_type: agent.agent_type };
      const response = { status: 'completed', agentId: agent.agent_id, content: [{ type: 'text', text: report }] };
      const call = { name: 'Agent', input, answer: report, response, fails: false };
      yield hook(dialect.before(call, id));
      yield hook({ hook_event_name: 'SubagentStart', ...agent });
      yield* work(between(2, 6), agent);
      yield hook({
        hook_event_name: 'SubagentStop',
        ...agent,
        stop_hook_active: false,
        last_assistant_message: report,
      });
      yield hook(dialect.after(call, id));
    }
    yield hook(dialect.stop(prose(300, 2_000), prompt), true);
  }
  yield hook({ hook_event_name: 'SessionEnd', reason: 'other' });
}

/**
 * @param {{ english: string[], korean: string[], code: string[] }} pools
 * @param {() => number} random
 */
function createWriter(pools, random) {
  const below = (/** @type {number} */ limit) => Math.floor(random() * limit);
  const between = (/** @type {number} */ from, /** @type {number} */ to) => from + below(to - from + 1);
  /** @template Item @param {readonly Item[]} items @returns {Item} */
  const one = (items) => /** @type {Item} */ (items[below(items.length)]);
  const language = random() < 0.5 ? pools.korean : pools.english;
  const project = `/home/dev/project-${below(12)}`;

  /** So many characters of texts of a pool. @param {readonly string[]} pool @param {number} length */
  const textFrom = (pool, length) => {
    let text = '';
    while (text.length < length) {
      const from = one(pool);
      text += from.slice(below(from.length / 2)).slice(0, length - text.length);
    }
    return text;
  };
  /** Short ones are more frequent. @param {number} from @param {number} to */
  const prose = (from, to) => textFrom(language, from + Math.floor((to - from) * random() ** 2));
  const line = () => textFrom(pools.code, between(20, 70)).replaceAll('\n', ' ');
  const word = () => /[a-z]+/i.exec(one(pools.code).slice(below(100)))?.[0] ?? 'main';
  const files = Array.from({ length: FILES }, () => `${project}/src/${word()}/${word()}.ts`);
  /** @param {number} bytes @param {(n: number) => string} lineOf */
  const lines = (bytes, lineOf) => {
    let text = '';
    for (let n = 1; text.length < bytes; n++) text += `${lineOf(n)}\n`;
    return text;
  };
  const length = () => between(600, 3_600);

  /** @type {readonly (() => Omit<ToolCall, 'fails'>)[]} */
  const tools = [
    () => {
      const file = one(files);
      const answer = lines(
        length(),
        (n) => ` ${random() < 0.95 ? '✓' : '×'} ${file} > ${line().slice(0, 40)} ${n + below(90)}ms`,
      );
      const input = { command: `npm test -- ${file} -t ${word()}`, description: line().slice(0, 40) };
      return { name: 'Bash', input, answer, response: { stdout: answer, stderr: '', interrupted: false } };
    },
    () => {
      const filePath = one(files);
      const answer = lines(length(), (n) => `${n}\t${'  '.repeat(below(4))}${line()}`);
      const file = { filePath, content: answer, numLines: 60, startLine: 1, totalLines: 60 };
      return { name: 'Read', input: { file_path: filePath }, answer, response: { type: 'text', file } };
    },
    () => {
      const answer = lines(length(), () => `${one(files)}:${below(400)}: ${line()}`);
      const input = { pattern: word(), path: project, output_mode: 'content' };
      return { name: 'Grep', input, answer, response: { mode: 'content', content: answer, numLines: 30 } };
    },
    () => {
      const [filePath, before] = [one(files), lines(between(100, 700), line)];
      const after = before.replace(word(), word()) + line();
      const input = { file_path: filePath, old_string: before, new_string: after };
      const response = { filePath, oldString: before, newString: after, userModified: false, replaceAll: false };
      return { name: 'Edit', input, answer: `The file ${filePath} has been updated.\n${after}`, response };
    },
    () => {
      const answer = prose(900, 3_800);
      const input = { url: `https://docs.example.com/${word()}/${word()}`, prompt: prose(30, 120) };
      return { name: 'WebFetch', input, answer, response: { code: 200, bytes: answer.length, result: answer } };
    },
  ];
  const share = [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4];
  /** @returns {ToolCall} */
  const toolCall = () => {
    const make = /** @type {(typeof tools)[number]} */ (tools[one(share)]);
    return { ...make(), fails: random() < 0.04 };
  };

  const hex = (/** @type {number} */ digits) => Array.from({ length: digits }, () => below(16).toString(16)).join('');
  const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
  return { random, between, uuid, prose, toolCall, project };
}

/**
 * The body of a hook as the forwarder sends it.
 * @param {Hook} hook
 */
export function bodyOf({ payload, provider, deliveryId }) {
  const _meta = {
    delivery_id: deliveryId,
    collected_at: new Date().toISOString(),
    provider,
    workspace_id: 'project',
    terminal_session_id: `bench-${String(payload['session_id']).slice(0, 8)}`,
    forwarder_version: '1',
  };
  return JSON.stringify({ ...payload, _meta });
}
