import { failing, type Route } from './route.ts';

/** Write routes of earlier memory tools, and the hook to send to `/ingest` instead of each. */
const instead = [
  ['/api/sessions/start', 'startSessionOlder', 'SessionStart', '"source"'],
  ['/api/prompts', 'writePromptOlder', 'UserPromptSubmit', '"prompt"'],
  ['/api/observations', 'writeObservationOlder', 'PostToolUse', '"tool_name", "tool_input", "tool_response"'],
  ['/api/responses', 'writeResponseOlder', 'Stop', '"last_assistant_message"'],
  [
    '/api/sessions/summarize',
    'summarizeSessionOlder',
    'Stop',
    '"last_assistant_message" (summaries are made automatically)',
  ],
  ['/api/sessions/stop', 'stopSessionOlder', 'SessionEnd', '"reason"'],
] as const;

/** They store nothing and answer 410 with what to send instead. */
export const olderRoutes: readonly Route[] = instead.map(([path, name, hook, fields]) => {
  const error = `this route is gone: POST /ingest {"hook_type":"${hook}","session_id":…} with ${fields}`;
  return {
    method: 'POST',
    path,
    name,
    summary: `Gone: send a ${hook} to /ingest.`,
    answers: { 410: failing('Always; the error says what to send instead.') },
    answer: () => ({ status: 410, body: { error } }),
  };
});
