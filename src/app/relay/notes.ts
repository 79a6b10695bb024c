import { chatText } from '../../domain/relay/chatText.ts';
import type { Clock, Disposable } from '../ports.ts';
import type { Queue } from './queue.ts';

/** Whoever asked waits for the answer. A request has ten seconds for its own. */
const PATIENCE_MS = 15_000;

/** Of one session, waiting. A script that talks on must not push the replies out of the queue. */
const WAITING_MAX = 20;

export interface NoteParts {
  readonly queue: Queue;
  readonly clock: Clock;
  /** Whether one could be said in this session's thread now. */
  readonly mayNote: (sessionId: string) => boolean;
  readonly onAdded: () => void;
}

export interface NotesInHand {
  /** RLY-2: whether it was said. Where it was not, it is not said later either, unless it was on its way already. */
  say(sessionId: string, text: string): Promise<boolean>;
  settled(id: string, wasSaid: boolean): void;
  /** What waits still is not to be sent. */
  recall(): void;
  close(): void;
}

/** What scripts of the person want said in a session's thread. */
export function startNotes({ queue, clock, mayNote, onAdded }: NoteParts): NotesInHand {
  const asking = new Map<string, { readonly settle: (wasSaid: boolean) => void; readonly patience: Disposable }>();
  let count = 0;

  function settled(id: string, wasSaid: boolean): void {
    const asked = asking.get(id);
    asking.delete(id);
    asked?.patience.dispose();
    asked?.settle(wasSaid);
  }

  function takeBack(session: string, id: string): void {
    const message = queue.messagesOf(session).find((each) => each.id === id);
    if (message) queue.recall(message, 'notSoon');
    settled(id, false);
    onAdded();
  }

  return {
    say(session, text) {
      const said = chatText(text);
      const waiting = queue.messagesOf(session).filter(({ kind }) => kind === 'note');
      if (said === '' || waiting.length >= WAITING_MAX || !mayNote(session)) return Promise.resolve(false);
      const at = new Date(clock.now()).toISOString();
      const id = `note/${session}/${at}/${count++}`;
      return new Promise((resolve) => {
        const patience = clock.after(PATIENCE_MS, () => takeBack(session, id));
        asking.set(id, { settle: resolve, patience });
        queue.add(session, { id, kind: 'note', at, text: said }).then(onAdded, () => takeBack(session, id));
      });
    },
    settled,
    recall() {
      for (const message of queue.messages()) if (message.kind === 'note') queue.recall(message, 'notSoon');
    },
    close() {
      for (const id of [...asking.keys()]) settled(id, false);
    },
  };
}
