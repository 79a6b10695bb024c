import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hookMetaSchema } from '../src/protocol/hook.ts';
import { baseName, buildMeta } from './meta.ts';
import type { Origin } from './origin.ts';
import type { Payload } from './payload.ts';
import type { Variables } from './environment.ts';

const origin: Origin = {
  agent: { pid: 118, parent: 7, name: 'claude', tty: 'pts/1', startedAt: '2026-11-18T11:54:41.340Z' },
  ancestors: [130, 118, 7, 1],
  pidNamespace: 'pid:[4026531836]',
};
const delivery = {
  id: 'delivery-1',
  collectedAt: '2026-11-18T11:55:00.123Z',
  forwarderVersion: '1.2.3',
  cwd: '/own',
  host: 'laptop',
};
const sha256Hex = (text: string) => createHash('sha256').update(text).digest('hex');

function metaOf(payload: Payload, variables: Variables = {}, from: Origin = origin) {
  return JSON.parse(JSON.stringify(buildMeta(payload, variables, from, delivery, sha256Hex))) as Record<
    string,
    unknown
  >;
}

describe('FWD-2 _meta', () => {
  it('FWD-2 has every field, as the collector reads them', () => {
    const payload = { hook_event_name: 'SessionStart', session_id: 's', cwd: '/home/dev/project/sub' };
    const meta = metaOf(payload, { CLAUDE_PROJECT_DIR: '/home/dev/project' });
    expect(meta).toEqual({
      workspace_id: 'project',
      terminal_session_id: 'pts/1',
      collected_at: '2026-11-18T11:55:00.123Z',
      delivery_id: 'delivery-1',
      forwarder_version: '1.2.3',
      provider: 'claude',
      cwd: '/home/dev/project/sub',
      project_dir: '/home/dev/project',
      tty: 'pts/1',
      agent_pid: 118,
      agent_started_at: '2026-11-18T11:54:41.340Z',
      ancestors: [130, 118, 7, 1],
      host: 'laptop',
      pid_namespace: 'pid:[4026531836]',
      fingerprint: sha256Hex('/home/dev/project:pts/1:118:1795002881').slice(0, 16),
    });
    expect(hookMetaSchema.parse(meta)).toEqual(meta);
  });

  const workspaces: readonly (readonly [string, Payload, Variables, string])[] = [
    ['the payload’s own', { workspace_id: 'own', cwd: '/a/b' }, { CLAUDE_PROJECT_DIR: '/c/d' }, 'own'],
    ['the own of its _meta', { _meta: { workspace_id: 'meta' }, workspace_id: 'own' }, {}, 'meta'],
    ['the project', { cwd: '/a/b' }, { CLAUDE_PROJECT_DIR: '/c/d/' }, 'd'],
    ['the payload’s folder', { cwd: '/a/b' }, {}, 'b'],
    ['a Windows folder', { cwd: 'F:\\work\\app' }, {}, 'app'],
    ['a Windows share', { cwd: '\\\\wsl.localhost\\Debian\\home\\u' }, {}, 'u'],
    ['a root folder', { cwd: '/' }, {}, '/'],
    ['this process’s folder', { cwd: 7, workspace_id: '', _meta: [] }, {}, 'own'],
  ];
  it.each(workspaces)('FWD-2 workspace_id is %s', (_title, payload, variables, expected) => {
    expect(metaOf(payload, variables)['workspace_id']).toBe(expected);
  });

  it.each([
    ['the payload’s own', { terminal_session_id: 'mine' }, 'mine'],
    ['the own of its _meta', { _meta: { terminal_session_id: 'meta' }, terminal_session_id: 'mine' }, 'meta'],
    ['the terminal’s', {}, 'from-terminal'],
  ])('FWD-2 terminal_session_id is %s', (_title, payload, expected) => {
    expect(metaOf(payload, { TERM_SESSION_ID: 'from-terminal' })['terminal_session_id']).toBe(expected);
  });

  it('FWD-2 believes nothing else that a payload says about its delivery', () => {
    const meta = metaOf({ _meta: { delivery_id: 'x', collected_at: 'y', provider: 'z', agent_pid: 1, extra: true } });
    expect(meta).toMatchObject({ delivery_id: 'delivery-1', provider: 'claude', agent_pid: 118 });
    expect(meta).not.toHaveProperty('extra');
  });

  it('FWD-2 leaves out what it does not know', () => {
    const meta = metaOf({}, {}, { ancestors: [] });
    expect(Object.keys(meta).sort()).toEqual([
      'ancestors',
      'collected_at',
      'cwd',
      'delivery_id',
      'forwarder_version',
      'host',
      'provider',
      'terminal_session_id',
      'workspace_id',
    ]);
    expect(meta['terminal_session_id']).toBe('unknown');
  });

  it.each([
    ['/a/b', 'b'],
    ['/a/b//', 'b'],
    ['C:/a/b', 'b'],
    ['/a/with\\slash', 'with\\slash'],
    ['', undefined],
  ])('FWD-2 base name of %j is %j', (folder, expected) => {
    expect(baseName(folder)).toBe(expected);
  });
});

describe('SES-1 fingerprint', () => {
  const start = { hook_event_name: 'SessionStart', cwd: '/p' };
  const of = (payload: Payload, from: Origin = origin) => metaOf(payload, {}, from)['fingerprint'];
  const agent = origin.agent;

  it('SES-1 is 16 hex digits, the same for every part of one second', () => {
    const later = {
      ...origin,
      agent: { ...agent, pid: 118, parent: 7, name: 'claude', tty: 'pts/1', startedAt: '2026-11-18T11:54:41.990Z' },
    };
    expect(of(start)).toMatch(/^[0-9a-f]{16}$/);
    expect(of(start, later)).toBe(of(start));
  });

  it('SES-1 tells tty, folder, pid and start apart', () => {
    const changed = (change: object): Origin => ({
      ...origin,
      agent: { pid: 118, parent: 7, name: 'claude', tty: 'pts/1', startedAt: '2026-11-18T11:54:41.340Z', ...change },
    });
    const all = [
      of(start),
      of({ ...start, cwd: '/q' }),
      of(start, changed({ tty: 'pts/2' })),
      of(start, changed({ tty: undefined })),
      of(start, changed({ pid: 119 })),
      of(start, changed({ startedAt: '2026-11-18T11:54:42.340Z' })),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  it.each(['PreToolUse', 'Stop', 'UserPromptSubmit'])('SES-1 is not made at %s', (name) => {
    expect(of({ ...start, hook_event_name: name })).toBeUndefined();
  });

  it('SES-1 is not made up without the agent’s process', () => {
    expect(of(start, { ancestors: [] })).toBeUndefined();
  });
});
