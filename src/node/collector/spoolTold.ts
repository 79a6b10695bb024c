import type { Log } from '../../app/ports.ts';

/** Files of one kind of trouble are alike: the first is told of by its name, and then how many there are. */
const NAMED = 1;
/** Of what is about no file, each sentence may say something else. */
const SENTENCES = 5;
/** What is told again and again is known by these; beyond them it may be counted twice. */
const KNOWN_MAX = 10_000;
/** As long as the names of most file systems. */
const NAME_MAX = 255;

export type FileTrouble = 'strange' | 'unreadable' | 'not understood' | 'cut' | 'lost';
export type Trouble = 'folder' | 'watching' | 'counting' | 'storing' | 'removing';

/** `sentence` gets the name as it can be shown. */
export type TellOfFile = (trouble: FileTrouble, name: string, sentence: (name: string) => string) => void;

/** The spool's own log: the folder is looked through every few seconds, and each kind of trouble has its own share of lines. */
export interface SpoolTold {
  readonly tellOf: TellOfFile;
  /** Sentences about no file. */
  of(trouble: Trouble): Pick<Log, 'warn'>;
  /** After each look at the folder: how many there are by now of those that were not told one by one. */
  tellCounts(): void;
}

interface Kind {
  readonly known: Set<string>;
  count: number;
  toldCount: number;
  last: string;
}

export function createSpoolTold(log: Pick<Log, 'warn'>): SpoolTold {
  const kinds = new Map<string, Kind>();

  function tell(trouble: string, about: string, first: number, sentence: () => string): void {
    const kind = kinds.get(trouble) ?? { known: new Set(), count: 0, toldCount: 0, last: '' };
    kinds.set(trouble, kind);
    if (kind.known.has(about)) return;
    if (kind.known.size >= KNOWN_MAX) kind.known.clear();
    kind.known.add(about);
    kind.count++;
    kind.last = plain(sentence());
    if (kind.count > first) return;
    kind.toldCount = kind.count;
    log.warn(kind.last);
  }

  return {
    tellOf: (trouble, name, sentence) => tell(trouble, name, NAMED, () => sentence(quoted(name))),
    of: (trouble) => ({ warn: (sentence) => tell(trouble, sentence, SENTENCES, () => sentence) }),
    tellCounts() {
      for (const kind of kinds.values()) {
        // Twice as many each time: a handful of lines, however long it goes on.
        if (kind.count < 2 * kind.toldCount) continue;
        kind.toldCount = kind.count;
        log.warn(`${kind.last} (${kind.count} of this kind by now.)`);
      }
    },
  };
}

/** A file's name is whatever somebody called it. */
export function quoted(name: string): string {
  return plain(JSON.stringify(name.length > NAME_MAX ? `${name.slice(0, NAME_MAX)}…` : name));
}

/** What a terminal or an editor would obey, or show in another order, becomes what can be seen of it. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (unit) =>
    [...unit].map((each) => `\\u{${(each.codePointAt(0) ?? 0).toString(16)}}`).join(''),
  );
}
