import type { Heard, Outcome } from '../../domain/relay/answers.ts';
import type { FolderWays } from '../../domain/relay/channels.ts';
import type { Why } from '../../domain/relay/records.ts';
import type { QuietHours } from '../../domain/relay/quietHours.ts';
import type { RelayWord } from '../../domain/relay/relayWords.ts';
import type { RelayRequest, Sign } from '../../domain/relay/requests.ts';
import type { RelayKind, RelayTarget } from '../../protocol/relay.ts';
import type { Secrets } from '../outletPorts.ts';
import type { Disposable, Exclusions } from '../ports.ts';

/** The settings `relay.*`, as they are now. */
export interface RelaySettings {
  readonly target: RelayTarget | 'off';
  /** By folder. */
  readonly channels: Readonly<Record<string, string>>;
  readonly send: Readonly<Record<RelayKind, boolean>>;
  readonly quietHours: QuietHours | undefined;
  /** Waits for the person are said in quiet hours, too. */
  readonly quietLetsWaits: boolean;
  readonly webhookIgnoresRepeats: boolean;
}

export interface RelayRules {
  current(): RelaySettings;
  onChange(listener: () => void): Disposable;
}

/** Takes one request out of this machine. Never rejects. */
export type SendRequest = (request: RelayRequest, signal: Abandon) => Promise<Heard>;

/** Lets go of whatever is on its way. */
export interface Abandon {
  onAbandoned(listener: () => void): Disposable;
}

/** What the person is told once, until it went well again. */
export interface RelayTrouble {
  readonly why: Why | 'noSecret';
  /** Named where it is about one. */
  readonly channel?: string | undefined;
}

/** What became of a test. */
export type Tested = Outcome | { readonly kind: 'off' | 'noSecret' | 'noChannel' };

/** What the editor offers of it in any window. */
export interface RelayKit {
  readonly rules: RelayRules;
  readonly secrets: Secrets;
  readonly word: RelayWord;
  /** Undefined: nothing of this project is sent. */
  channelOf(project: string): string | undefined;
  /** Says something where the sessions of this project are told of. */
  sendTest(project: string): Promise<Tested>;
}

export interface RelayWorld {
  readonly rules: RelayRules;
  readonly secrets: Pick<Secrets, 'get' | 'onChange'>;
  readonly send: SendRequest;
  readonly sign: Sign;
  readonly word: RelayWord;
  readonly folders: FolderWays;
  /** HKI-9. */
  exclusions(): Promise<Exclusions & Disposable>;
  /** Of the local day. */
  localMinute(at: number): number;
  /** From 0 up to 1. */
  random(): number;
  readonly version: string;
  /** Where Discord is. */
  readonly api: string;
  onTrouble(trouble: RelayTrouble): void;
}
