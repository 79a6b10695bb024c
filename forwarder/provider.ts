import type { ProviderId } from '../src/protocol/hook.ts';
import { eventNameOf, textOf } from './payload.ts';
import type { Payload } from './payload.ts';

const known = /^(claude|codex|gemini|copilot|cursor|vscode)$/;

const geminiEvents = /^((Before|After)(Agent|Model|Tool)|BeforeToolSelection|PreCompress)$/;

/** Whose hook this is: the argument of the installed command, else the person's variable, else the payload's shape. */
export function providerOf(argument: string | undefined, variable: string | undefined, payload: Payload): ProviderId {
  return knownProvider(argument) ?? knownProvider(variable) ?? providerByShape(payload);
}

function knownProvider(name: string | undefined): ProviderId | undefined {
  const id = name?.trim().toLowerCase() ?? '';
  return known.test(id) ? (id as ProviderId) : undefined;
}

function providerByShape(payload: Payload): ProviderId {
  const transcript = (textOf(payload, 'transcript_path') ?? textOf(payload, 'transcriptPath') ?? '').replaceAll(
    '\\',
    '/',
  );
  const event = eventNameOf(payload);
  if (transcript.includes('/.claude/')) return 'claude';
  if (transcript.includes('/.codex/sessions/') || /\/rollout-[^/]*\.jsonl$/.test(transcript)) return 'codex';
  if (transcript.includes('/.gemini/') || geminiEvents.test(event)) return 'gemini';
  if (transcript.includes('/.copilot/') || isCopilotShape(payload)) return 'copilot';
  // Claude Code's MessageDisplay has a turn_id too. A null transcript is what `codex --ephemeral` sends; no other agent does.
  if (event !== 'MessageDisplay' && (textOf(payload, 'turn_id') || payload['transcript_path'] === null)) return 'codex';
  return 'claude';
}

/** Copilot CLI writes camelCase or, for hooks named in Pascal case, snake case with a timestamp and no transcript. */
function isCopilotShape(payload: Payload): boolean {
  if (textOf(payload, 'sessionId') && !textOf(payload, 'session_id')) return true;
  const dated = textOf(payload, 'timestamp') !== undefined && !('transcript_path' in payload);
  return dated && (textOf(payload, 'initial_prompt') !== undefined || /^[A-Z]/.test(eventNameOf(payload)));
}
