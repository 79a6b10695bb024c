/** The English of every text in the panel. The host translates each by `l10n.t` and hands them to the webview by key. */
export const panelWords = {
  'list.label': 'Coding agents',
  'session.label': '{project}: {phase}',

  'agent.subagent': 'sub-agent',
  'agent.teammate': 'team-mate',

  'activity.reading': 'Reading {target}',
  'activity.writing': 'Editing {target}',
  'activity.running': 'Running {target}',
  'activity.searching': 'Searching for {target}',
  'activity.browsing': 'Looking up {target}',
  'activity.delegating': 'Handing over: {target}',
  'activity.tool': 'Using {tool}',

  'mood.arriving': 'Just arrived',
  'mood.resting': 'Ready when you are',
  'mood.thinking': 'Thinking',
  'mood.reading': 'Reading',
  'mood.writing': 'Editing',
  'mood.running': 'Running a command',
  'mood.searching': 'Searching',
  'mood.browsing': 'Browsing the web',
  'mood.delegating': 'Handing over work',
  'mood.waiting': 'Waiting for your permission',
  'mood.asking': 'Asking you something',
  'mood.celebrating': 'All done',
  'mood.hurt': 'Something went wrong',
  'mood.sleeping': 'Asleep',
  'mood.leaving': 'Leaving',

  'phase.busy': 'Working',
  'phase.interactable': 'Your move',
  'phase.waiting_permission': 'Needs permission',
  'phase.waiting_question': 'Has a question',
  'phase.failed': 'The turn failed',

  'error.rate_limit': 'The service is busy: rate limit',
  'error.server_error': 'The service failed',
  'error.authentication_failed': 'Sign-in failed',
  'error.billing_error': 'Billing problem',
  'error.invalid_request': 'The request was refused',
  'error.unknown': 'Something went wrong',

  'life.active': 'Active',
  'life.idle': 'Idle',
  'life.completed': 'Ended',
  'life.stale': 'Lost',

  'wait.permission': 'May I use {tool}?',
  'wait.permissionAny': 'May I go on?',
  'wait.question': 'I have a question for you.',

  'cause.idle': 'quiet since the turn ended',
  'cause.hook': 'Reported by the agent',
  'cause.transcript': 'Seen in the transcript',
  'cause.synthetic': 'Worked out by Agent Mascot',

  'duration.now': 'now',
  'duration.minutes': '{n} min',
  'duration.hours': '{n} h',
  'duration.days': '{n} d',

  'empty.title': 'Nobody here yet',
  'empty.body':
    'Connect Claude Code once. From then on every agent you start, in any terminal, appears here as a mascot.',
  'empty.button': 'Connect Claude Code…',
  'empty.hint': 'Already connected? Start a session and watch this space.',
  'loading.title': 'Looking for your agents…',

  'notice.connecting': 'Connecting…',
  'notice.stopped': 'Not connected: what you see may be out of date.',
  'notice.showLog': 'Show log',

  'announce.permission': '{project} needs your permission: {cause}',
  'announce.question': '{project} has a question: {cause}',
  'announce.turnEnded': '{project}: the turn ended, your move',
} as const;

type PanelKey = keyof typeof panelWords;

/** The English for the id that a failed turn ends with. None for an id that nobody has described yet. */
export function errorWords(id: string): string | undefined {
  const key = `error.${id}`;
  return isPanelKey(key) ? panelWords[key] : undefined;
}

function isPanelKey(key: string): key is PanelKey {
  return Object.hasOwn(panelWords, key);
}
