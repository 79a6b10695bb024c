import * as vscode from 'vscode';
import type { Secrets } from '../../app/outletPorts.ts';
import type { StateSource } from '../../app/ports.ts';
import type { TeamCounts, TeamDatabaseControl } from '../../app/sink/sinkPorts.ts';
import type { SinkTroubleKind } from '../../domain/postgres/trouble.ts';
import { agreedBeside } from '../besideQuestion.ts';
import { type CommandId, commandIds } from '../ids.ts';
import type { MadeDocument } from '../madeDocument.ts';
import { type OtherHolder, otherHolder } from '../otherHolder.ts';
import { teamPhrase } from './teamPhrases.ts';
import type { TeamStanding } from './teamStanding.ts';
import type { teamWords } from './teamWords.ts';

export type TeamCommandId =
  | typeof commandIds.connectTeamDatabase
  | typeof commandIds.teamDatabaseStatus
  | typeof commandIds.disconnectTeamDatabase;

type TeamButton = Extract<keyof typeof teamWords, `button.${string}`>;

/** What the editor offers of the team's database. */
export interface TeamKit {
  readonly secrets: Secrets;
  readonly control: TeamDatabaseControl;
  readonly standing: TeamStanding;
  /** The name under which the team sees this person. */
  readonly user: () => string;
}

export function teamCommands(
  kit: TeamKit,
  preview: Pick<MadeDocument, 'show'>,
  source: Pick<StateSource, 'snapshot'>,
): Readonly<Record<TeamCommandId, () => Promise<void>>> {
  const parts: TeamParts = { ...kit, preview, holder: () => otherHolder(source) };
  return {
    [commandIds.connectTeamDatabase]: () => connect(parts),
    [commandIds.teamDatabaseStatus]: () => tellStatus(parts),
    [commandIds.disconnectTeamDatabase]: () => disconnect(parts),
  };
}

interface TeamParts extends TeamKit {
  readonly preview: Pick<MadeDocument, 'show'>;
  /** Who copies, or not, with other secrets than these. */
  readonly holder: () => OtherHolder | undefined;
}

/** Nothing is kept, and nothing sent, before the last yes. */
async function connect(kit: TeamParts, before = ''): Promise<void> {
  const typed = await vscode.window.showInputBox({
    title: teamPhrase('connect.title'),
    value: before,
    prompt: teamPhrase('connect.prompt'),
    placeHolder: teamPhrase('connect.place'),
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? undefined : wrongWith(kit, text.trim())),
  });
  const url = typed?.trim();
  if (url === undefined || url === '') return;
  const found = await looked(kit, url, teamPhrase('connect.testing'));
  if ('trouble' in found) {
    const again = teamPhrase('button.again');
    if ((await vscode.window.showErrorMessage(refusalText(found), again)) === again) await connect(kit, url);
    return;
  }
  const [yes, show] = [teamPhrase('connect.button'), teamPhrase('connect.preview')];
  const question = teamPhrase('connect.question', { where: kit.control.describe(url) });
  const detail = teamPhrase('connect.detail', { user: kit.user() });
  const choice = await vscode.window.showWarningMessage(question, { modal: true, detail }, yes, show);
  if (choice === show) {
    await kit.preview.show('');
    const title = teamPhrase('connect.title');
    if (!(await agreedBeside({ title, question, yes, no: teamPhrase('connect.no') }))) return;
  } else if (choice !== yes) return;
  await kit.secrets.set('postgres.url', url);
  const status = teamPhrase('button.status');
  const other = kit.holder();
  const done = other ? elsewhereText(other, kit.control.describe(url)) : teamPhrase('connect.done');
  if ((await vscode.window.showInformationMessage(done, status)) === status) await tellStatus(kit);
}

/** Where this editor's secrets are of no use. */
function elsewhereText({ kind, app }: OtherHolder, where: string): string {
  return teamPhrase(`elsewhere.${kind}`, { app, where });
}

function wrongWith({ control }: TeamKit, url: string): string | undefined {
  try {
    control.describe(url);
    return undefined;
  } catch (error) {
    return teamPhrase('connect.wrong', { detail: troubleOf(error).detail });
  }
}

async function looked({ control }: TeamKit, url: string, title: string): Promise<TeamCounts | Trouble> {
  // Not as a notification: of more than three within a second the editor shows none, and the answer is the one that counts.
  const options = { location: vscode.ProgressLocation.Window, title };
  return await vscode.window.withProgress(options, () => control.look(url).catch(troubleOf));
}

async function tellStatus(kit: TeamParts): Promise<void> {
  const url = await kit.secrets.get('postgres.url');
  if (url === undefined) {
    await offer('info', teamPhrase('status.off'), { 'button.connect': commandIds.connectTeamDatabase });
    return;
  }
  const counts = await looked(kit, url, teamPhrase('status.running'));
  if ('trouble' in counts) {
    await offer('error', troubleText(counts), {
      'button.reconnect': commandIds.connectTeamDatabase,
      'button.showLog': commandIds.showLog,
    });
    return;
  }
  const where = kit.control.describe(url);
  const standing = kit.standing.text();
  const other = kit.holder();
  const first = other
    ? elsewhereText(other, where)
    : teamPhrase(standing === undefined ? 'status.there' : 'status.here', { where, standing: standing ?? '' });
  const { sessions, interactions, sessionEvents: events, workItems: items, machines, seenAt } = counts;
  const last = seenAt === undefined ? teamPhrase('status.never') : new Date(seenAt).toLocaleString(vscode.env.language);
  const second = teamPhrase('status.counts', { sessions, interactions, events, items, machines, last });
  await offer('info', `${first} ${second}`, {
    'button.showLog': commandIds.showLog,
    'button.disconnect': commandIds.disconnectTeamDatabase,
  });
}

/** The editor shows a notice whole where it has a button, and else its first line. */
async function offer(
  severity: 'info' | 'error',
  text: string,
  offers: Partial<Readonly<Record<TeamButton, CommandId>>>,
): Promise<void> {
  const buttons = Object.entries(offers).map(([key, command]) => ({ title: teamPhrase(key as TeamButton), command }));
  const show = severity === 'info' ? vscode.window.showInformationMessage : vscode.window.showErrorMessage;
  const chosen = await show(text, ...buttons);
  if (chosen) await vscode.commands.executeCommand(chosen.command);
}

async function disconnect({ secrets, control, holder }: TeamParts): Promise<void> {
  const url = await secrets.get('postgres.url');
  if (url === undefined) {
    void vscode.window.showInformationMessage(teamPhrase('status.off'));
    return;
  }
  const [keep, remove] = [teamPhrase('disconnect.keep'), teamPhrase('disconnect.remove')];
  const options = { modal: true, detail: teamPhrase('disconnect.detail') };
  const choice = await vscode.window.showWarningMessage(teamPhrase('disconnect.question'), options, keep, remove);
  if (choice !== keep && choice !== remove) return;
  // First: whoever copies would write anew what is deleted.
  await secrets.delete('postgres.url');
  const other = holder();
  const there = other?.kind === 'editor' ? [teamPhrase('disconnect.there', { app: other.app })] : [];
  if (choice === keep) {
    void vscode.window.showInformationMessage([teamPhrase('disconnect.done'), ...there].join(' '));
    return;
  }
  try {
    await control.removeRows(url);
    void vscode.window.showInformationMessage([teamPhrase('disconnect.removed'), ...there].join(' '));
  } catch (error) {
    // Without the address nobody could try again.
    await secrets.set('postgres.url', url);
    const again = { 'button.disconnect': commandIds.disconnectTeamDatabase, 'button.showLog': commandIds.showLog };
    await offer('error', teamPhrase('disconnect.failed', { why: refusalText(troubleOf(error)) }), again);
  }
}

interface Trouble {
  readonly trouble: SinkTroubleKind;
  readonly detail: string;
}

/** By its form: what talks to the database is a bundle with classes of its own. */
function troubleOf(error: unknown): Trouble {
  const { kind, message } = error as { readonly kind?: SinkTroubleKind; readonly message?: unknown };
  return { trouble: kind ?? 'other', detail: String(message) };
}

function troubleText({ trouble, detail }: Trouble): string {
  return teamPhrase(`trouble.${trouble}`, { detail });
}

/** Of what is asked for by hand, which nobody tries again by itself. */
function refusalText({ trouble, detail }: Trouble): string {
  const isPassing = trouble === 'unreachable' || trouble === 'other';
  return isPassing ? teamPhrase(`refusal.${trouble}`, { detail }) : troubleText({ trouble, detail });
}
