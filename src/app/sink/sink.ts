import type { OpenOutlet, Secrets } from '../outletPorts.ts';
import type { Breather, Disposable, Exclusions } from '../ports.ts';
import { startCopying } from './copying.ts';
import { type SinkStanding, SinkTrouble, type TeamDatabase } from './sinkPorts.ts';

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
const SECRET = 'postgres.url';

const LOOK_AGAIN_MS = 60_000;

/** SNK-1: copies to the team's database for as long as the person has named one. */
export function createSink(parts: SinkParts): OpenOutlet {
  return (outlet) => {
    const { log, clock } = outlet;
    let later: Disposable | undefined;
    let copying: ReturnType<typeof startCopying> | undefined;
    let present: string | undefined;
    let exclusions: (Exclusions & Disposable) | undefined;
    let closed = false;
    let turn: Promise<void> = Promise.resolve();

    async function turnOnOrOff(): Promise<void> {
      const url = await parts.secrets.get(SECRET);
      if (url === present || closed) return;
      await copying?.close();
      copying = undefined;
      present = undefined;
      if (url === undefined || url === '') {
        parts.onStanding({ kind: 'off' });
        return;
      }
      const excluded = (exclusions ??= await parts.exclusions());
      if (closed) return excluded.dispose();
      present = url;
      copying = startCopying({
        ...outlet,
        ...parts,
        shelf: outlet.store.shelf(SHELF),
        database: whileWanted(url),
        excludes: (folder) => folder !== '' && excluded.excludes(folder),
      });
    }

    /** Another window may have taken the address back, and the rows away, and this one hears of it late. */
    function whileWanted(url: string): TeamDatabase {
      const database = parts.database(url);
      async function check(): Promise<void> {
        if ((await parts.secrets.get(SECRET)) === url) return;
        look();
        throw new SinkTrouble('removed', 'its address was taken back');
      }
      return {
        async connect() {
          await check();
          const connection = await database.connect();
          const join = () => check().then(connection.join);
          return { ...connection, join };
        },
      };
    }

    function look(): void {
      turn = turn.then(turnOnOrOff).catch((error: unknown) => {
        log.error(`The team's database: ${String(error)}`);
        // A keyring that is locked while the editor starts is opened by and by.
        later?.dispose();
        if (!closed) later = clock.after(LOOK_AGAIN_MS, look);
      });
    }

    const watching = parts.secrets.onChange((name) => {
      if (name === SECRET) look();
    });
    look();
    return {
      async close() {
        closed = true;
        watching.dispose();
        later?.dispose();
        await copying?.close();
        exclusions?.dispose();
        parts.onStanding({ kind: 'off' });
      },
    };
  };
}
