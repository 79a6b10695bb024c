import type { StateSource } from '../../app/ports.ts';
import type { Collector } from '../../app/windowPorts.ts';
import { fencedCode } from '../../domain/markdownText.ts';
import { callRow, eventRow, type Row, saidRow, sessionRow, workRow } from '../../domain/postgres/rows.ts';
import { teamScheme } from '../ids.ts';
import { createMadeDocument, type MadeDocument } from '../madeDocument.ts';
import { teamPhrase } from './teamPhrases.ts';

const ROWS_SHOWN = 5;

export interface TeamPreviewParts {
  readonly source: Pick<StateSource, 'snapshot'>;
  readonly collector: Pick<Collector, 'list' | 'sessions'>;
  readonly user: () => string;
}

/** SNK-1: rows as they would be sent, of the session that was heard of last. */
export function createTeamPreview(parts: TeamPreviewParts): MadeDocument {
  return createMadeDocument({
    scheme: teamScheme,
    name: () => teamPhrase('preview.title'),
    text: () => textOf(parts),
    unknown: () => teamPhrase('preview.none'),
  });
}

async function textOf({ source, collector, user }: TeamPreviewParts): Promise<string | undefined> {
  const { sessions, workItems } = source.snapshot();
  const past = sessions.length > 0 ? undefined : await collector.sessions({ limit: 1 });
  const session = sessions.toSorted((a, b) => (a.lastEventAt < b.lastEventAt ? 1 : -1))[0] ?? past?.items[0];
  if (!session) return undefined;
  const who = user();
  const page = { limit: ROWS_SHOWN };
  const said = await collector.list(session.id, 'interactions', page);
  const calls = await collector.list(session.id, 'observations', page);
  const events = await collector.list(session.id, 'session-events', page);
  const tables: readonly (readonly [string, readonly Row[]])[] = [
    ['sessions', [sessionRow(session, who)]],
    [
      'interactions',
      [...itemsOf(said).map((each) => saidRow(each, who)), ...itemsOf(calls).map((each) => callRow(each, who))],
    ],
    ['session_events', itemsOf(events).map((each) => eventRow(each, who))],
    ['work_items', workItems.slice(0, ROWS_SHOWN).map((each) => workRow(each, who))],
  ];
  const parts = tables.map(
    ([name, rows]) => `## agent_mascot.${name}\n\n${fencedCode(JSON.stringify(rows, null, 2), 'json')}`,
  );
  return [`# ${teamPhrase('preview.title')}`, teamPhrase('preview.intro'), ...parts].join('\n\n');
}

function itemsOf<T>(page: { readonly items: readonly T[] } | 'unknown' | undefined): readonly T[] {
  return typeof page === 'object' ? page.items : [];
}
