import type { Mood, Phase, SessionLife, Surface, Task } from '../src/protocol/state.ts';
import type { StoryKind, StoryNews } from '../src/protocol/story.ts';
import type { MascotAction } from '../src/protocol/view.ts';

/** Who told it. */
export type SourceWord = 'hook' | 'transcript' | 'status_file' | 'process' | 'inferred';

/** Steps of a story whose sentence has no place to fill. */
export type StoryPlain = Exclude<StoryKind, 'prompt' | 'tool' | 'tool_failed' | 'waits' | 'task' | 'message'>;

/** Every text of the panel. The English of each is in the extension's panelWords; the host sends them translated. */
export type WordKey =
  | 'list.label'
  | 'list.agents'
  | 'phase.failed'
  | 'phase.compacting'
  | 'phase.interrupted'
  | 'phase.over'
  | 'phase.gone'
  | 'error.rate_limit'
  | 'error.server_error'
  | 'error.authentication_failed'
  | 'error.billing_error'
  | 'error.invalid_request'
  | 'error.unknown'
  | 'session.label'
  | 'agent.subagent'
  | 'agent.teammate'
  | 'agent.team'
  | 'agent.background'
  | 'agent.job'
  | 'activity.reading'
  | 'activity.writing'
  | 'activity.running'
  | 'activity.searching'
  | 'activity.browsing'
  | 'activity.delegating'
  | 'activity.tool'
  | 'wait.permission'
  | 'wait.permissionAny'
  | 'wait.question'
  | 'wait.short'
  | 'wait.count'
  | 'item.opens'
  | 'item.open'
  | 'cause.idle'
  | 'seen.label'
  | 'seen.mood'
  | 'seen.offer'
  | 'seen.install'
  | 'session.background'
  | 'session.tasks'
  | 'session.work'
  | 'context.share'
  | 'context.tokens'
  | 'context.both'
  | 'details.label'
  | 'details.model'
  | 'details.context'
  | 'details.tokens'
  | 'details.tokenCounts'
  | 'details.surface'
  | 'details.tasks'
  | 'details.explain'
  | 'duration.now'
  | 'duration.minutes'
  | 'duration.hours'
  | 'duration.days'
  | 'duration.for'
  | 'empty.title'
  | 'empty.body'
  | 'empty.button'
  | 'empty.hint'
  | 'empty.installed'
  | 'empty.check'
  | 'empty.running'
  | 'loading.title'
  | 'notice.connecting'
  | 'notice.stopped'
  | 'notice.off'
  | 'notice.showLog'
  | 'notice.takeOver'
  | 'announce.permission'
  | 'announce.question'
  | 'announce.turnEnded'
  | 'announce.interrupted'
  | 'announce.takeOver'
  | 'duration.seconds'
  | 'did.reading'
  | 'did.writing'
  | 'did.running'
  | 'did.searching'
  | 'did.browsing'
  | 'did.delegating'
  | 'did.tool'
  | 'did.failed'
  | 'did.waited'
  | 'did.waitedAny'
  | 'did.question'
  | 'did.prompt'
  | 'did.task'
  | 'did.message'
  | 'story.title'
  | 'story.loading'
  | 'story.none'
  | 'story.unknown'
  | 'story.more'
  | 'files.title'
  | 'files.read'
  | 'files.written'
  | 'counts.prompts'
  | 'counts.toolCalls'
  | 'counts.failures'
  | 'act.label'
  | 'details.ofAgent'
  | 'wait.doing'
  | 'mark.pinned'
  | 'mark.hidden'
  | 'talk.writes'
  | 'talk.to'
  | 'rest.elsewhere'
  | 'rest.showAll'
  | 'rest.hidden'
  | 'rest.show'
  | 'rest.hide'
  | 'away.title'
  | 'away.body'
  | 'veiled.title'
  | 'veiled.body'
  | 'hint.restricted'
  | 'hint.hooks'
  | 'welcome.text'
  | 'welcome.button'
  | 'did.taskDone'
  | 'did.taskFailed'
  | `source.${SourceWord}`
  | `surface.${Exclude<Surface, 'unknown'>}`
  | `story.${StoryPlain}`
  | `news.${StoryNews}`
  | `act.${Exclude<MascotAction, 'unpin'>}`
  | `task.${Task['status']}`
  | `mood.${Mood}`
  | `phase.${Phase}`
  | `life.${SessionLife}`;

export type Strings = Readonly<Record<string, string>>;
export type Places = Readonly<Record<string, string | number>>;

/** A piece of a sentence: plain words, or what was filled into the place of that name. */
export interface SentencePart {
  readonly text: string;
  readonly place?: string;
}

export function say(strings: Strings, key: WordKey, places: Places = {}): string {
  return sentence(strings, key, places)
    .map((part) => part.text)
    .join('');
}

/** The same as pieces, so that a target inside a sentence can be set in its own type in every language's word order. */
export function sentence(strings: Strings, key: WordKey, places: Places = {}): readonly SentencePart[] {
  const template = Object.hasOwn(strings, key) ? (strings[key] ?? key) : key;
  return template
    .split(/(\{\w+\})/)
    .filter((text) => text !== '')
    .map((text) => {
      const place = /^\{(\w+)\}$/.exec(text)?.[1];
      const value = place !== undefined && Object.hasOwn(places, place) ? places[place] : undefined;
      return place === undefined || value === undefined ? { text } : { text: String(value), place };
    });
}
