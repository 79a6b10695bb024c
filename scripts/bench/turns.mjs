/** CNV-1: what a thousand turns of conversation take on the disk. */
import { mkdir, readdir, stat } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { post } from './load.mjs';
import { startCollector } from './servers.mjs';

const TURNS = 1_000;
const TURNS_OF_SESSION = 50;
const CALLS = 6;
const ANSWER_BYTES = 2_000;
const CLIENTS = 8;
const TURN_MS = 90_000;

/** @type {import('./frame.mjs').Bench} */
export const turns = {
  name: 'turns',
  about: `bytes on the disk for ${TURNS.toLocaleString('en')} turns of a prompt, ${CALLS} calls that answer ${ANSWER_BYTES / 1_000} kB each, and a reply`,
  async run(context) {
    const home = path.join(context.scratch, 'mascot');
    await mkdir(home, { recursive: true, mode: 0o700 });
    const collector = await startCollector(context, home);
    let sent = 0;
    let bytes = 0;
    const agent = new http.Agent({ keepAlive: true, maxSockets: CLIENTS });
    try {
      const sessions = Array.from({ length: TURNS / TURNS_OF_SESSION }, (_, index) => index);
      const client = async () => {
        for (let session = sessions.pop(); session !== undefined; session = sessions.pop()) {
          for (const payload of hooksOf(session)) {
            context.signal.throwIfAborted();
            const body = JSON.stringify(payload);
            const { status, text } = await post(collector, agent, body);
            if (status !== 200) throw new Error(`the server answered ${status}: ${text.slice(0, 200)}`);
            sent++;
            bytes += Buffer.byteLength(body);
          }
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
    } finally {
      agent.destroy();
      // Closing writes the last image and cuts the journal.
      await collector.stop('SIGTERM');
    }
    const sizes = await sizesIn(path.join(home, 'storage'));
    const image = Math.max(...sizes.filter(({ name }) => name.endsWith('.sqlite')).map(({ size }) => size));
    const all = sizes.reduce((sum, { size }) => sum + size, 0);
    return [
      {
        what: 'hooks as they came',
        value: `${bytes.toLocaleString('en')} bytes`,
        note: `${sent.toLocaleString('en')} hooks`,
      },
      {
        what: 'database',
        value: `${image.toLocaleString('en')} bytes`,
        ratio: `${(image / bytes).toFixed(2)}×`,
        note: `${Math.round(image / TURNS).toLocaleString('en')} bytes a turn`,
      },
      {
        what: 'the whole folder',
        value: `${all.toLocaleString('en')} bytes`,
        note: 'with the backup and what is left of the journal',
      },
    ];
  },
};

/** @param {string} folder */
async function sizesIn(folder) {
  const names = await readdir(folder, { recursive: true });
  const found = await Promise.all(names.map(async (name) => ({ name, file: await stat(path.join(folder, name)) })));
  return found.filter(({ file }) => file.isFile()).map(({ name, file }) => ({ name, size: file.size }));
}

/**
 * As Claude Code sends them, each at its own time.
 * @param {number} session
 */
function* hooksOf(session) {
  const id = `5e551011-0000-4000-8000-${String(session).padStart(12, '0')}`;
  let at = Date.now() - TURNS_OF_SESSION * TURN_MS;
  let delivery = 0;
  /**
   * @param {string} hook_event_name
   * @param {object} [fields]
   */
  const hook = (hook_event_name, fields = {}) => ({
    session_id: id,
    transcript_path: `/home/dev/.claude/projects/-home-dev-project/${id}.jsonl`,
    cwd: '/home/dev/project',
    permission_mode: 'default',
    hook_event_name,
    ...fields,
    _meta: {
      delivery_id: `${id}-${delivery++}`,
      collected_at: new Date((at += TURN_MS / (2 * CALLS + 2))).toISOString(),
      provider: 'claude',
      workspace_id: 'project',
      terminal_session_id: 'bench',
    },
  });
  yield hook('SessionStart', { source: 'startup', model: 'claude-opus-5-5' });
  for (let turn = 0; turn < TURNS_OF_SESSION; turn++) {
    const words = text(session * 1_000 + turn, 300);
    yield hook('UserPromptSubmit', { prompt: words, prompt_id: `${id}-${turn}` });
    for (let call = 0; call < CALLS; call++) {
      const made = {
        tool_name: 'Bash',
        tool_use_id: `toolu_${session}_${turn}_${call}`,
        tool_input: { command: `npm test -- --run part-${turn}-${call}`, description: 'Run a part of the tests' },
      };
      yield hook('PreToolUse', made);
      const stdout = text(session * 100_000 + turn * 10 + call, ANSWER_BYTES);
      yield hook('PostToolUse', {
        ...made,
        tool_response: { stdout, stderr: '', interrupted: false },
        duration_ms: 812,
      });
    }
    yield hook('Stop', { stop_hook_active: false, last_assistant_message: text(session * 7_000 + turn, 800) });
  }
  yield hook('SessionEnd', { reason: 'prompt_input_exit' });
}

const WORDS =
  'the test of a parser failed in line where token was expected but end of file came first so look at it again'.split(
    ' ',
  );

/**
 * Words that differ from text to text.
 * @param {number} seed
 * @param {number} length
 */
function text(seed, length) {
  let state = seed + 1;
  const parts = [];
  for (let size = 0; size < length;) {
    state = (state * 48_271) % 2_147_483_647;
    const word = `${WORDS[state % WORDS.length]}${state % 7 === 0 ? `-${state % 997}` : ''}`;
    parts.push(word);
    size += word.length + 1;
  }
  return parts.join(' ').slice(0, length);
}
