import type { OpenOutlet, Secrets } from '../outletPorts.ts';
import type { Breather, Disposable, Exclusions } from '../ports.ts';
import { startCopying } from './copying.ts';
import type { SinkStanding, TeamDatabase } from './sinkPorts.ts';

export interface SinkParts {
  readonly secrets: Pick<Secrets, 'get' | 'onChange'>;
  readonly database: (url: string) => TeamDatabase;
  readonly exclusions: () => Promise<Exclusions & Disposable>;
  /** The name under which the team sees this person. */
  readonly user: () => string;
  readonly breather: Breather;
  readonly random: () => number;
  readonly onStanding: (standing: SinkStanding) => void;
}

/** The shelf of what is known of the team's database. */
const SHELF = 'postgres';

/** SNK-1: copies to the team's database for as long as the person has named one. */
export function createSink(parts: SinkParts): OpenOutlet {
  return (outlet) => {
    const { log } = outlet;
    let copying: ReturnType<typeof startCopying> | undefined;
    let present: string | undefined;
    let exclusions: (Exclusions & Disposable) | undefined;
    let closed = false;
    let turn: Promise<void> = Promise.resolve();

    async function turnOnOrOff(): Promise<void> {
      const url = await parts.secrets.get('postgres.url');
      if (url === present || closed) return;
      present = url;
      await copying?.close();
      copying = undefined;
      if (url === undefined || url === '') {
        parts.onStanding({ kind: 'off' });
        return;
      }
      const excluded = (exclusions ??= await parts.exclusions());
      if (closed) return;
      copying = startCopying({
        ...outlet,
        ...parts,
        shelf: outlet.store.shelf(SHELF),
        database: parts.database(url),
        excludes: (folder) => folder !== '' && excluded.excludes(folder),
      });
    }

    function look(): void {
      turn = turn.then(turnOnOrOff).catch((error: unknown) => log.error(`The team's database: ${String(error)}`));
    }

    const watching = parts.secrets.onChange((name) => {
      if (name === 'postgres.url') look();
    });
    look();
    return {
      async close() {
        closed = true;
        watching.dispose();
        await copying?.close();
        exclusions?.dispose();
        parts.onStanding({ kind: 'off' });
      },
    };
  };
}
