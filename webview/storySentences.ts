import type { Mood, Session } from '../src/protocol/state.ts';
import type { StoryNews, StoryStep } from '../src/protocol/story.ts';
import type { IconName } from './icons.ts';
import { plainWords } from './plainText.ts';
import { errorWords, toolName } from './sentences.ts';
import { shortTarget } from './targets.ts';
import { say, sentence, type SentencePart, type Strings, type WordKey } from './words.ts';

const didKeys: Partial<Record<Mood, WordKey>> = {
  reading: 'did.reading',
  writing: 'did.writing',
  running: 'did.running',
  searching: 'did.searching',
  browsing: 'did.browsing',
  delegating: 'did.delegating',
};

const toolIcons: Partial<Record<Mood, IconName>> = {
  reading: 'page',
  writing: 'pencil',
  running: 'terminal',
  searching: 'lens',
  browsing: 'globe',
  delegating: 'flag',
};

const stepIcons = {
  session_started: 'play',
  session_ended: 'stop',
  prompt: 'bubble',
  turn_ended: 'returned',
  turn_failed: 'alarm',
  interrupted: 'pause',
  agent_started: 'plus',
  agent_stopped: 'check',
  tool_failed: 'failed',
  answered: 'answered',
  task: 'box',
  message: 'letter',
} as const satisfies Partial<Record<StoryStep['kind'], IconName>>;

const newsIcons = {
  work_start: 'tag',
  work_done: 'tag',
  work_cancelled: 'tag',
  dependency_resolved: 'tag',
  edit_denied: 'halt',
  edit_untracked: 'halt',
  guard_gap: 'why',
  decision: 'letter',
  escalation: 'alarm',
  build_failed: 'failed',
  test_failed: 'failed',
  quality_warning: 'failed',
  context_overflow: 'alarm',
  checkpoint_created: 'lines',
  compact: 'lines',
  context_loaded: 'lines',
} as const satisfies Record<StoryNews, IconName>;

/** Undefined also for news that this panel is too old to know. */
function newsIn({ news = '' }: StoryStep): StoryNews | undefined {
  return Object.hasOwn(newsIcons, news) ? (news as StoryNews) : undefined;
}

export function stepIcon(step: StoryStep): IconName {
  const news = newsIn(step);
  if (news !== undefined) return newsIcons[news];
  if (step.kind === 'tool') return toolIcons[step.mood ?? 'thinking'] ?? 'gear';
  if (step.kind === 'waits') return isQuestion(step) ? 'asked' : 'halt';
  return stepIcons[step.kind];
}

/** What came to pass, in one sentence. */
export function stepWords(strings: Strings, step: StoryStep, place: Session): readonly SentencePart[] {
  const target = step.target === undefined ? '' : shortTarget(step.target, place);
  const tool = step.tool === undefined ? '' : toolName(step.tool);
  const news = newsIn(step);
  if (news !== undefined) return sentence(strings, `news.${news}`, { text: saidIn(step), target: target || tool });
  switch (step.kind) {
    case 'tool':
      return didWords(strings, step, tool, target);
    case 'tool_failed':
      return sentence(strings, 'did.failed', { tool, target }).filter(({ text }) => text !== '');
    case 'waits':
      if (isQuestion(step)) return sentence(strings, 'did.question', { text: saidIn(step) || target });
      return tool === '' ? plain(strings, 'did.waitedAny') : sentence(strings, 'did.waited', { tool, target });
    case 'prompt':
      return sentence(strings, 'did.prompt', { text: saidIn(step) });
    case 'task':
      return sentence(strings, taskKeys.get(step.tool) ?? 'did.task', { text: saidIn(step) || target });
    case 'message':
      return sentence(strings, 'did.message', { text: saidIn(step) || target });
    case 'agent_started':
    case 'agent_stopped':
    case 'session_started':
    case 'session_ended':
    case 'turn_ended':
    case 'turn_failed':
    case 'interrupted':
    case 'answered':
      return plain(strings, `story.${step.kind}`);
  }
}

const taskKeys: ReadonlyMap<string | undefined, WordKey> = new Map([
  ['task_completed', 'did.taskDone'],
  ['task_failed', 'did.taskFailed'],
]);

/** Their text stands in their sentence, or is an id of the agent's. */
const kindsWithoutDetail: ReadonlySet<StoryStep['kind']> = new Set([
  'prompt',
  'task',
  'message',
  'session_started',
  'session_ended',
]);

/** What was said with it and is not in its sentence. */
export function stepDetail(strings: Strings, step: StoryStep): string {
  if (step.kind === 'turn_failed') return errorWords(strings, step.text ?? '');
  return kindsWithoutDetail.has(step.kind) || isQuestion(step) ? '' : saidIn(step);
}

function didWords(strings: Strings, step: StoryStep, tool: string, target: string): readonly SentencePart[] {
  const key = didKeys[step.mood ?? 'thinking'];
  // As while it went on: what a server's tool is about is no command.
  if (key === undefined || target === '' || step.tool?.startsWith('mcp__') === true) {
    return sentence(strings, 'did.tool', { tool });
  }
  return sentence(strings, key, { target });
}

/** Tools with which agents ask the person something. */
const asking: ReadonlySet<string | undefined> = new Set(['AskUserQuestion', 'request_user_input', 'ask_user']);

function isQuestion(step: StoryStep): boolean {
  return step.kind === 'waits' && (step.mood === 'asking' || asking.has(step.tool));
}

function saidIn(step: StoryStep): string {
  return plainWords(step.text ?? '');
}

function plain(strings: Strings, key: WordKey): readonly SentencePart[] {
  return [{ text: say(strings, key) }];
}
