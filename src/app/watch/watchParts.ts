import type { Outbox } from './outbox.ts';
import type { Hub } from '../hub.ts';
import type { ErasedMarks } from '../erasurePorts.ts';
import type { Clock, Log, Pipeline } from '../ports.ts';
import type { FolderWatch, Processes, SessionFiles, SessionRoot, Tails } from '../sourcePorts.ts';

/** The sources beside the hooks, on this machine. */
export interface Sources {
  readonly tails: Tails;
  readonly folders: FolderWatch;
  readonly processes: Processes;
  readonly sessionFiles: SessionFiles;
  /** Where agents keep their transcripts, whether hooks are installed or not. */
  readonly roots: readonly (SessionRoot & { readonly provider: string })[];
}

export interface WatchParts {
  readonly hub: Pick<Hub, 'state' | 'sight' | 'sessionIds' | 'onChange' | 'onErased'>;
  readonly pipeline: Pick<Pipeline, 'record' | 'erasures'>;
  /** CNV-5: which part of a transcript must not be read again. */
  readonly erased: Pick<ErasedMarks, 'bytesOf'>;
  readonly sources: Sources;
  readonly clock: Clock;
  readonly log: Log;
  /** CNV-4: what follows such a prompt is not shown. Without it everything is. */
  readonly isMarked?: ((prompt: string) => boolean) | undefined;
}

/** What the single watches share. */
export interface WatchingParts extends WatchParts {
  readonly outbox: Outbox;
}
