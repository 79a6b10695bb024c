import { maskText } from '../../domain/mask/mask.ts';
import { readAnswer } from '../../domain/relay/answers.ts';
import { isForum } from '../../domain/relay/requests.ts';
import type { RelayWorld, Tested } from './relayPorts.ts';
import { nextStep, type SentSession } from './steps.ts';
import { accessFor, placeFor } from './target.ts';

const NAME = 'Agent Mascot';

/** Below the post of a forum, which has the words: what may begin one may not always answer in it. */
const REPLY = '✅';

/** By the steps that replies go, at once and without a queue: somebody looks on. */
export async function sendTest(world: RelayWorld, project: string, text: string, now: number): Promise<Tested> {
  const settings = world.rules.current();
  if (settings.target === 'off') return { kind: 'off' };
  const place = placeFor(project, settings, world.folders);
  if (!place) return { kind: 'noChannel' };
  const access = await accessFor(settings, world);
  if (!access) return { kind: 'noSecret' };
  const { channel } = place;
  const about = { id: `test/${now}`, kind: 'test', at: new Date(now).toISOString() } as const;
  const channelTypes = new Map<string, number>();
  let session: SentSession = {
    ...{ session: '', channel, name: NAME, project: maskText(project), agent: '', startedText: text },
  };
  for (;;) {
    const isPosted = session.thread !== undefined && isForum(channelTypes.get(channel) ?? 0);
    const message = { ...about, text: isPosted ? REPLY : text };
    const { step, target, request } = nextStep({ session, message, access, world, channelTypes, now });
    const outcome = readAnswer(await world.send(request(), patiently), target, step);
    if (outcome.kind !== 'done' || step === 'say') return outcome;
    if (step === 'look') channelTypes.set(channel, outcome.type ?? 0);
    // A forum's webhook has said all of it in the post.
    else if (target !== 'discord' || outcome.id === undefined) return outcome;
    else session = { ...session, thread: outcome.id };
  }
}

const patiently = { onAbandoned: () => ({ dispose: () => undefined }) };
