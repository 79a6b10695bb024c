import { codeMarkdown } from '../../domain/markdownText.ts';
import type { Stored } from '../../protocol/reading.ts';
import type { SettingName, Settings } from '../../protocol/settings.ts';
import { configSection } from '../ids.ts';
import { momentOf, type PersonsTime } from '../moment.ts';
import { phraseFor, type PhraseKey } from '../phrases.ts';
import { plannedSentence } from './retentionNotice.ts';

export interface StoredTelling extends PersonsTime {
  /** Of addresses that this editor opens itself; undefined where it opens none from a document. */
  readonly scheme: string | undefined;
}

interface Kept {
  readonly stored: Stored;
  readonly settings: Settings;
}

/** As Markdown. */
export function storedText({ stored, settings }: Kept, telling: StoredTelling): string {
  const link = (name: SettingName) => settingLink(name, telling);
  const list = (...lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n');
  return [
    `# ${phraseFor('stored.title')}`,
    phraseFor('stored.local'),
    list(...told(settings, link)),
    ...(stored.logging ? [] : [`**${phraseFor('stored.off')}** ${link('logging.enabled')}`]),
    heading('stored.now'),
    list(...amounts(stored, telling)),
    heading('stored.where'),
    list(...stored.folders.map(codeMarkdown)),
    heading('stored.howLong'),
    list(
      `${phraseFor('stored.days', { count: stored.retentionDays })} ${link('retention.days')}`,
      `${phraseFor('stored.megabytes', { count: stored.retentionMegabytes })} ${link('retention.megabytes')}`,
      ...stored.retentionPlanned.map((plan) => `**${plannedSentence(plan)}**`),
    ),
    heading('stored.kept'),
    list(...(['said', 'tools', 'sessions', 'copies', 'spool'] as const).map((key) => phraseFor(`stored.kept.${key}`))),
    heading('stored.masked'),
    phraseFor('stored.maskedText'),
    heading('stored.notKept'),
    list(...notKept(settings, link)),
    heading('stored.doAbout'),
    list(...(['off', 'export', 'one', 'all', 'everything'] as const).map((key) => phraseFor(`stored.do.${key}`))),
    phraseFor('stored.transcripts'),
    '',
  ].join('\n\n');
}

function heading(key: PhraseKey): string {
  return `## ${phraseFor(key)}`;
}

function amounts(stored: Stored, telling: StoredTelling): readonly string[] {
  const { sessions, interactions, events, oldest, databaseBytes, journalBytes, spoolBytes } = stored;
  const number = new Intl.NumberFormat(telling.locale);
  const n = (count: number) => number.format(count);
  return [
    phraseFor('stored.counts', { sessions: n(sessions), interactions: n(interactions), events: n(events) }),
    oldest === null ? phraseFor('stored.nothing') : phraseFor('stored.since', { time: momentOf(oldest, telling) }),
    phraseFor('stored.sizes', {
      history: megabytes(journalBytes, telling),
      index: megabytes(databaseBytes, telling),
      spool: megabytes(spoolBytes, telling),
    }),
  ];
}

function told(settings: Settings, link: (name: SettingName) => string): readonly string[] {
  const count = settings['memory.sessions'];
  if (count === 0) return [`${phraseFor('stored.noMemory')} ${link('memory.sessions')}`];
  const excluded = settings['memory.excludedProjects'].length;
  return [
    `${phraseFor('stored.memory', { count })} ${link('memory.sessions')}`,
    `${phraseFor('stored.memoryExcluded', { count: excluded })} ${link('memory.excludedProjects')}`,
  ];
}

function notKept(settings: Settings, link: (name: SettingName) => string): readonly string[] {
  const marker = settings['logging.privateMarker'].trim();
  return [
    `${marker === '' ? phraseFor('stored.noMarker') : phraseFor('stored.marker', { marker: codeMarkdown(marker) })} ${link('logging.privateMarker')}`,
    `${phraseFor('stored.unlogged', { count: settings['logging.excludedProjects'].length })} ${link('logging.excludedProjects')}`,
    `${phraseFor('stored.excluded', { count: settings.excludedProjects.length })} ${link('excludedProjects')}`,
    phraseFor('stored.credentials'),
  ];
}

/** Every editor that grew from VS Code opens its own settings by such an address. */
function settingLink(name: SettingName, { scheme }: StoredTelling): string {
  const id = `${configSection}.${name}`;
  return scheme === undefined ? `(${codeMarkdown(id)})` : `([${codeMarkdown(id)}](${scheme}://settings/${id}))`;
}

const MEGABYTE = 1_000_000;

function megabytes(bytes: number, { locale }: PersonsTime): string {
  const size = bytes / MEGABYTE;
  const digits = size < 10 ? 1 : 0;
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(size)} MB`;
}
