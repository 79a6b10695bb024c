import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { applyPatch } from '../../src/domain/diff.ts';
import type { Session, Snapshot } from '../../src/protocol/state.ts';
import { readerFrameSchema } from '../../src/protocol/wire.ts';
import { type Headless, startHeadless, temporaryFolder } from './headless.testkit.ts';

let folder: ReturnType<typeof temporaryFolder>;
let headless: Headless;
const agents: ChildProcess[] = [];

beforeEach(async () => {
  folder = temporaryFolder();
  headless = startHeadless(folder.dir);
  await headless.ready;
});

afterEach(async () => {
  for (const agent of agents.splice(0)) agent.kill('SIGKILL');
  if (headless.child.exitCode === null) await headless.end('SIGTERM');
  folder.remove();
});

const config = () => path.join(folder.dir, '.claude');
const projectFolder = () => path.join(config(), 'projects', '-home-dev-project');
const transcriptOf = (id: string) => path.join(projectFolder(), `${id}.jsonl`);

/** A process that stands for an agent: it lives until it is killed. */
function startAgent(): number {
  const agent = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000)'], { stdio: 'ignore' });
  agents.push(agent);
  return agent.pid ?? 0;
}

function meta(pid: number) {
  const linux = process.platform === 'linux' ? { pid_namespace: readlinkSync('/proc/self/ns/pid') } : {};
  return { collected_at: new Date().toISOString(), provider: 'claude', host: hostname(), agent_pid: pid, ...linux };
}

async function hook(id: string, name: string, fields: object, pid: number): Promise<void> {
  const common = { hook_event_name: name, session_id: id, cwd: folder.dir, transcript_path: transcriptOf(id) };
  const answer = await headless.post({ ...common, ...fields, _meta: meta(pid) });
  expect(answer.status).toBe(200);
}

function line(id: string, type: string, message: object, more: object = {}): string {
  const common = {
    type,
    uuid: `${Math.random()}`,
    timestamp: new Date().toISOString(),
    sessionId: id,
    cwd: folder.dir,
    entrypoint: 'cli',
  };
  return `${JSON.stringify({ ...common, message, ...more })}\n`;
}

/** Resolves with the session as soon as the stream shows it so; the test's own time limit ends the wait. */
async function shown(id: string, wanted: (session: Session) => boolean): Promise<Session> {
  const { url, token } = headless.portFile() ?? { url: '', token: '' };
  const socket = new WebSocket(`${url.replace('http:', 'ws:')}/ws`, { headers: { authorization: `Bearer ${token}` } });
  try {
    return await new Promise((resolve, reject) => {
      let state: Snapshot | undefined;
      socket.on('error', reject);
      socket.on('message', (data: Buffer) => {
        const frame = readerFrameSchema.parse(JSON.parse(data.toString()));
        if (frame.type === 'session-event') return;
        state = frame.type === 'snapshot' ? frame.state : state && applyPatch(state, frame);
        const session = state?.sessions.find((each) => each.id === id);
        if (session && wanted(session)) resolve(session);
      });
    });
  } finally {
    socket.terminate();
  }
}

const since = (session: Session) =>
  `${session.phase} ${session.phaseBecause?.source} ${session.phaseBecause?.by ?? ''}`.trim();

test('STA-4 an interrupt in the transcript of a living session ends busy within 2 s, also when its folder is new', async () => {
  const pid = startAgent();
  await hook('s1', 'UserPromptSubmit', { prompt: 'go' }, pid);
  expect((await shown('s1', ({ phase }) => phase === 'busy')).state).toBe('active');
  mkdirSync(projectFolder(), { recursive: true });
  appendFileSync(
    transcriptOf('s1'),
    line('s1', 'assistant', { id: 'm1', content: [{ type: 'text', text: 'Let me' }] }),
  );
  const esc = line(
    's1',
    'user',
    { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] },
    { interruptedMessageId: 'm1' },
  );
  // A half-written line says nothing until it is whole.
  appendFileSync(transcriptOf('s1'), esc.slice(0, 40));
  appendFileSync(transcriptOf('s1'), esc.slice(40));
  const session = await shown('s1', ({ phase }) => phase === 'interactable');
  expect([since(session), session.phaseBecause?.detail]).toEqual(['interactable transcript', 'interrupted']);
});

test('SES-4 a killed agent’s session is no longer active', async () => {
  const pid = startAgent();
  await hook('s1', 'UserPromptSubmit', { prompt: 'go' }, pid);
  process.kill(pid, 'SIGKILL');
  const session = await shown('s1', ({ state }) => state === 'stale');
  expect([session.phase, session.endReason]).toEqual([null, 'process_gone']);
});

test('SES-4 after a restart of the collector only sessions whose process lives come back as active', async () => {
  const [living, dying] = [startAgent(), startAgent()];
  await hook('lives', 'UserPromptSubmit', { prompt: 'go' }, living);
  await hook('dies', 'UserPromptSubmit', { prompt: 'go' }, dying);
  await headless.end('SIGKILL');
  process.kill(dying, 'SIGKILL');
  await new Promise((resolve) => agents[1]?.once('exit', resolve));
  headless = startHeadless(folder.dir);
  await headless.ready;
  const { sessions } = (await headless.get('/api/state')) as unknown as Snapshot;
  expect(Object.fromEntries(sessions.map(({ id, state }) => [id, state]))).toEqual({ lives: 'active', dies: 'stale' });
});

test('SES-5 the agent’s own status file, rewritten in place, corrects what no hook told', async () => {
  const pid = startAgent();
  const statusFolder = path.join(config(), 'sessions');
  mkdirSync(statusFolder, { recursive: true });
  const write = (status: string) =>
    writeFileSync(
      path.join(statusFolder, `${pid}.json`),
      JSON.stringify({ pid, sessionId: 's1', cwd: folder.dir, status, statusUpdatedAt: Date.now() + 200 }),
    );
  writeFileSync(path.join(statusFolder, `${pid}.key`), 'not for us', { mode: 0o000 });
  await hook('s1', 'UserPromptSubmit', { prompt: 'go' }, pid);
  write('busy');
  write('idle');
  const session = await shown('s1', ({ phase }) => phase === 'interactable');
  expect(since(session)).toBe('interactable synthetic status_file');
  const explanation = await headless.get('/api/sessions/s1/explanation');
  expect(explanation['steps']).toMatchObject([
    { event: 'user_prompt', source: 'hook', correction: false },
    { event: 'turn_ended', by: 'status_file', correction: true, to: { phase: 'interactable' } },
  ]);
  rmSync(path.join(statusFolder, `${pid}.key`));
});

test('TRN-4 a session that runs without our hooks is seen by its transcript', async () => {
  mkdirSync(projectFolder(), { recursive: true });
  writeFileSync(
    transcriptOf('seen'),
    line(
      'seen',
      'user',
      { role: 'user', content: 'Fix the tests' },
      { promptSource: 'typed', origin: { kind: 'human' } },
    ) +
      line('seen', 'assistant', {
        id: 'm1',
        model: 'claude-opus-5-5',
        content: [{ type: 'text', text: 'Yes.' }],
        usage: { input_tokens: 10, output_tokens: 5 },
      }),
  );
  const session = await shown('seen', ({ counts }) => counts.tokensOut > 0);
  expect(session).toMatchObject({
    seenIn: 'transcript',
    phase: null,
    title: 'Fix the tests',
    surface: 'terminal',
    model: 'claude-opus-5-5',
  });
});
