import * as vscode from 'vscode';
import type { Clock } from '../../app/ports.ts';
import type { Collector } from '../../app/windowPorts.ts';
import { codeMarkdown } from '../../domain/markdownText.ts';
import type { Stored } from '../../protocol/reading.ts';
import type { SettingName, Settings } from '../../protocol/settings.ts';
import { configSection, storedScheme } from '../ids.ts';
import { createMadeDocument, type MadeDocument } from '../madeDocument.ts';
import { momentOf, type PersonsTime } from '../moment.ts';
import { phraseFor, type PhraseKey } from '../phrases.ts';
import type { EditorSettings } from '../settings.ts';
import { plannedSentence } from './retentionNotice.ts';

/** CNV-4: the document that says what this machine keeps, for how long, and how to change that. */
export function createStoredDocument(
  collector: Pick<Collector, 'stored'>,
  settings: Pick<EditorSettings, 'current'>,
  clock: Pick<Clock, 'now'>,
): MadeDocument {
  return createMadeDocument({
    scheme: storedScheme,
    name: () => phraseFor('stored.title'),
    async text() {
      const stored = await collector.stored();
      if (stored === undefined) return undefined;
      const time = { locale: vscode.env.language, now: clock.now() };
      // In a browser the preview does not follow addresses of the editor.
      const scheme = vscode.env.uiKind === vscode.UIKind.Desktop ? vscode.env.uriScheme : undefined;
      return storedText({ stored, settings: settings.current() }, { ...time, scheme });
    },
    unknown: () => phraseFor('stored.unknown'),
  });
}

interface StoredFormat extends PersonsTime {
  /** The scheme of addresses that this editor opens itself; `undefined` where it opens none from a document. */
  readonly scheme: string | undefined;
}

interface Kept {
  readonly stored: Stored;
  readonly settings: Settings;
}

/** Markdown. */
export function storedText({ stored, settings }: Kept, format: StoredFormat): string {
  const link = (name: SettingName) => settingLink(name, format);
  const list = (...lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n');
  return [
    `# ${phraseFor('stored.title')}`,
    phraseFor('stored.local'),
    list(...memoryLines(settings, link)),
    ...(stored.logging ? [] : [`**${phraseFor('stored.off')}** ${link('logging.enabled')}`]),
    heading('stored.now'),
    list(...amountLines(stored, format)),
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
    list(...notKeptLines(settings, link)),
    heading('stored.doAbout'),
    list(...(['off', 'export', 'one', 'all', 'everything'] as const).map((key) => phraseFor(`stored.do.${key}`))),
    phraseFor('stored.transcripts'),
    '',
  ].join('\n\n');
}

function heading(key: PhraseKey): string {
  return `## ${phraseFor(key)}`;
}

/** How much is stored, since when, and how large it is. */
function amountLines(stored: Stored, format: StoredFormat): readonly string[] {
  const { sessions, interactions, events, oldest, databaseBytes, journalBytes, spoolBytes } = stored;
  const number = new Intl.NumberFormat(format.locale);
  const n = (count: number) => number.format(count);
  return [
    phraseFor('stored.counts', { sessions: n(sessions), interactions: n(interactions), events: n(events) }),
    oldest === null ? phraseFor('stored.nothing') : phraseFor('stored.since', { time: momentOf(oldest, format) }),
    phraseFor('stored.sizes', {
      history: megabytes(journalBytes, format),
      index: megabytes(databaseBytes, format),
      spool: megabytes(spoolBytes, format),
    }),
  ];
}

/** What agents are told of earlier sessions. */
function memoryLines(settings: Settings, link: (name: SettingName) => string): readonly string[] {
  const count = settings['memory.sessions'];
  if (count === 0) return [`${phraseFor('stored.noMemory')} ${link('memory.sessions')}`];
  const excluded = settings['memory.excludedProjects'].length;
  return [
    `${phraseFor('stored.memory', { count })} ${link('memory.sessions')}`,
    `${phraseFor('stored.memoryExcluded', { count: excluded })} ${link('memory.excludedProjects')}`,
  ];
}

function notKeptLines(settings: Settings, link: (name: SettingName) => string): readonly string[] {
  const marker = settings['logging.privateMarker'].trim();
  return [
    `${marker === '' ? phraseFor('stored.noMarker') : phraseFor('stored.marker', { marker: codeMarkdown(marker) })} ${link('logging.privateMarker')}`,
    `${phraseFor('stored.unlogged', { count: settings['logging.excludedProjects'].length })} ${link('logging.excludedProjects')}`,
    `${phraseFor('stored.excluded', { count: settings.excludedProjects.length })} ${link('excludedProjects')}`,
    phraseFor('stored.credentials'),
  ];
}

/** The setting's name, linked where the editor opens its settings by an address; all editors made from VS Code do. */
function settingLink(name: SettingName, { scheme }: StoredFormat): string {
  const id = `${configSection}.${name}`;
  return scheme === undefined ? `(${codeMarkdown(id)})` : `([${codeMarkdown(id)}](${scheme}://settings/${id}))`;
}

const MEGABYTE = 1_000_000;

function megabytes(bytes: number, { locale }: PersonsTime): string {
  const size = bytes / MEGABYTE;
  const digits = size < 10 ? 1 : 0;
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(size)} MB`;
}
