import type { Agent, Session } from '../src/protocol/state.ts';
import { activityWords, jobWords, kindWords, waitWords } from './sentences.ts';
import type { Speech } from './sessionSentences.ts';
import { tookWords } from './took.ts';
import { say } from './words.ts';

/**
 * What a screen reader says of one mascot: who, for what, doing what, for how long, asking what, writing to whom. Never in
 * seconds: a name that changes all the time is read all the time.
 */
export function mascotLabel(speech: Speech, agent: Agent, session: Session, writesTo: string): string {
  const { strings } = speech;
  const doing = activityWords(strings, agent, session)
    .map((part) => part.text)
    .join('')
    .trim();
  const parts = [
    agent.name,
    kindWords(strings, agent),
    agent.pinnedAt === undefined ? '' : say(strings, 'mark.pinned'),
    agent.hidden === true ? say(strings, 'mark.hidden') : '',
    jobWords(strings, agent),
    doing,
    asked(speech, agent, session),
    tookWords(speech, agent, session, true),
    writesTo === '' ? '' : say(strings, 'talk.writes', { name: writesTo }),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** Where a tool asks, the sentence of what it does has it all. */
function asked({ strings }: Speech, agent: Agent, session: Session): string {
  if (agent.wait?.kind === 'permission' && agent.wait.tool !== undefined) return '';
  const asks = waitWords(strings, agent, session);
  return asks === undefined ? '' : `${asks.text} ${asks.target}`.trim();
}
