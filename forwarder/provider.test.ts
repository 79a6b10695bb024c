import { describe, expect, it } from 'vitest';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { providerIds } from '../src/protocol/providers.ts';
import { isObject } from './payload.ts';
import { providerOf } from './provider.ts';

const recordingsFolder = path.join(import.meta.dirname, '..', 'test', 'recordings');

describe('FWD-2 provider', () => {
  const shapes: readonly (readonly [string, string, Record<string, unknown>])[] = [
    ['claude', 'a transcript below .claude', { transcript_path: '/home/dev/.claude/projects/x/1.jsonl', turn_id: 't' }],
    ['claude', 'nothing that tells', { hook_event_name: 'Stop', session_id: 's' }],
    ['claude', 'an empty payload', {}],
    ['claude', 'MessageDisplay, which has a turn_id too', { hook_event_name: 'MessageDisplay', turn_id: 't' }],
    ['claude', 'fields of other types', { hook_event_name: 7, transcript_path: 7, turn_id: 7 }],
    ['codex', 'a turn_id', { hook_event_name: 'Stop', session_id: 's', turn_id: 't' }],
    ['codex', 'a rollout', { transcript_path: '/elsewhere/2026/11/18/rollout-2026-11-18T10-00-00-x.jsonl' }],
    ['codex', 'a Windows rollout', { transcript_path: 'C:\\Users\\dev\\.codex\\sessions\\2026\\11\\18\\a.jsonl' }],
    ['codex', 'an ephemeral session', { hook_event_name: 'SessionStart', session_id: 's', transcript_path: null }],
    ['gemini', 'a transcript below .gemini', { transcript_path: '/home/dev/.gemini/tmp/p/chats/session-1.jsonl' }],
    ['gemini', 'an event of its own', { hook_event_name: 'BeforeAgent', session_id: 's' }],
    ['copilot', 'camel case', { sessionId: 's', toolName: 'bash' }],
    ['copilot', 'Pascal names', { hook_event_name: 'Stop', session_id: 's', timestamp: '2026-11-18T11:56:38Z' }],
    ['copilot', 'its transcript', { transcript_path: '/home/dev/.copilot/session-state/1/events.jsonl' }],
  ];
  it.each(shapes)('FWD-2 is %s by %s', (provider, _why, payload) => {
    expect(providerOf(undefined, undefined, payload)).toBe(provider);
  });

  it.each([
    ['the argument before the variable', 'codex', 'gemini', 'codex'],
    ['the variable before the shape', undefined, 'Gemini', 'gemini'],
    ['an unknown argument says nothing', 'acme', 'copilot', 'copilot'],
    ['an unknown variable says nothing', undefined, 'constructor', 'claude'],
    ['an empty one says nothing', '', ' ', 'claude'],
  ])('FWD-2 takes %s', (_title, argument, variable, expected) => {
    expect(providerOf(argument, variable, { transcript_path: '/home/dev/.claude/x.jsonl' })).toBe(expected);
  });

  it.each(providerIds)('FWD-2 takes %s from the argument', (provider) => {
    expect(providerOf(provider, undefined, {})).toBe(provider);
  });

  it('FWD-2 tells every recorded payload of each provider', () => {
    const wrong: string[] = [];
    for (const file of readdirSync(recordingsFolder, { recursive: true }).map(String)) {
      if (!file.endsWith('.jsonl')) continue;
      const provider = file.split(path.sep)[0] ?? '';
      // Installed commands of these programs name the wrong provider; the collector corrects it.
      if (provider === 'dialects') continue;
      for (const row of readFileSync(path.join(recordingsFolder, file), 'utf8').split('\n')) {
        const line: unknown = row === '' ? {} : JSON.parse(row);
        const payload = isObject(line) ? line['stdin'] : undefined;
        if (!isObject(payload)) continue;
        const told = providerOf(undefined, undefined, payload);
        if (told !== provider) wrong.push(`${file}: ${told}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
