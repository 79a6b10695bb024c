/** The English of every text in the panel. The host translates each by `l10n.t` and hands them to the webview by key. */
export const panelWords = {
  'list.label': 'Coding agents',
  'list.agents': 'Agents of {project}',
  'session.label': '{project}: {phase}',

  'agent.subagent': 'sub-agent',
  'agent.teammate': 'team-mate',
  'agent.team': 'Team {team}',
  'agent.background': 'in the background',
  'agent.job': 'Job: {task}',

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
  'phase.compacting': 'Compacting',
  'phase.interactable': 'Your move',
  'phase.waiting_permission': 'Needs permission',
  'phase.waiting_question': 'Has a question',
  'phase.failed': 'The turn failed',
  'phase.interrupted': 'Interrupted',
  'phase.over': 'Turn over',
  'phase.gone': 'Its process is gone',

  'error.rate_limit': 'The service is busy: rate limit',
  'error.server_error': 'The service failed',
  'error.authentication_failed': 'Sign-in failed',
  'error.billing_error': 'Billing problem',
  'error.invalid_request': 'The request was refused',
  'error.unknown': 'Something went wrong',

  'life.active': 'Active',
  'life.idle': 'Asleep',
  'life.completed': 'Ended',
  'life.stale': 'No sign of life',

  'wait.permission': 'May I use {tool}?',
  'wait.permissionAny': 'May I go on?',
  'wait.question': 'I have a question for you.',

  'cause.idle': 'quiet since the turn ended',

  'source.hook': 'by hook',
  'source.transcript': 'from the transcript',
  'source.status_file': 'from the agent’s own status',
  'source.process': 'from its process',
  'source.inferred': 'inferred',

  'seen.label': 'Seen in transcript only',
  'seen.mood': 'No word from its hooks',
  'seen.offer':
    'The hooks do not run in this session, so only its transcript is seen. Install them to see what it does and when it waits for you.',
  'seen.install': 'Install Hooks…',

  'session.background': '{n} in background',
  'session.tasks': '{done} of {all} tasks',

  'surface.terminal': 'In a terminal',
  'surface.panel': 'In an editor’s panel',
  'surface.headless': 'Headless: nobody is asked anything',

  'context.share': 'Context {share}',
  'context.tokens': '{n} tokens in context',
  'context.both': '{used} of {all} tokens ({share})',

  'details.label': 'Details of {project}',
  'details.agent': 'Agent',
  'details.model': 'Model',
  'details.context': 'Context',
  'details.tokens': 'Tokens',
  'details.tokenCounts': '{in} in, {out} out',
  'details.surface': 'Where',
  'details.tasks': 'Tasks',
  'details.explain': 'Explain this state…',

  'task.pending': 'to do',
  'task.in_progress': 'doing',
  'task.completed': 'done',
  'task.failed': 'failed',

  'duration.now': 'now',
  'duration.minutes': '{n} min',
  'duration.hours': '{n} h',
  'duration.days': '{n} d',
  'duration.for': 'for {duration}',

  'empty.title': 'Nobody here yet',
  'empty.body':
    'Install hooks once. From then on every agent you start, in any terminal, appears here as a mascot. You see each change before it is written.',
  'empty.button': 'Install Hooks…',
  'empty.installed':
    'Hooks are installed. Start an agent in any terminal and give it something to do: it appears here as a mascot.',
  'empty.check': 'Check Hooks…',
  'empty.running': 'A session that runs already appears with its next prompt.',
  'empty.hint': 'Already installed? Start a session and watch this space.',
  'loading.title': 'Looking for your agents…',

  'notice.connecting': 'Connecting…',
  'notice.stopped': 'Not connected: what you see may be out of date.',
  'notice.off': 'Everything was removed. Agent Mascot is off until the window is reloaded.',
  'notice.showLog': 'Show log',

  'announce.permission': '{project} needs your permission: {cause}',
  'announce.question': '{project} has a question: {cause}',
  'announce.turnEnded': '{project}: the turn ended, your move',
  'announce.interrupted': '{project}: the turn was interrupted, your move',
} as const;

type PanelKey = keyof typeof panelWords;

const REASON_MAX = 80;

/** The English for what a failed turn ends with: an id, or a sentence of the agent's. None for an id that nobody has described yet. */
export function errorWords(reason: string): string | undefined {
  const key = `error.${reason}`;
  if (isPanelKey(key)) return panelWords[key];
  return /\s/.test(reason) ? reason.slice(0, REASON_MAX) : undefined;
}

function isPanelKey(key: string): key is PanelKey {
  return Object.hasOwn(panelWords, key);
}
