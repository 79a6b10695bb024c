import * as vscode from 'vscode';
import type { Secrets } from '../../app/outletPorts.ts';
import type { TeamCounts, TeamDatabaseControl } from '../../app/sink/sinkPorts.ts';
import type { SinkTroubleKind } from '../../domain/postgres/trouble.ts';
import { commandIds } from '../ids.ts';
import type { MadeDocument } from '../madeDocument.ts';
import { teamPhrase } from './teamPhrases.ts';
import type { TeamStanding } from './teamStanding.ts';

export type TeamCommandId =
  | typeof commandIds.connectTeamDatabase
  | typeof commandIds.teamDatabaseStatus
  | typeof commandIds.disconnectTeamDatabase;

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
): Readonly<Record<TeamCommandId, () => Promise<void>>> {
  return {
    [commandIds.connectTeamDatabase]: () => connect(kit, preview),
    [commandIds.teamDatabaseStatus]: () => tellStatus(kit),
    [commandIds.disconnectTeamDatabase]: () => disconnect(kit),
  };
}

/** Nothing is kept, and nothing sent, before the last yes. */
async function connect(kit: TeamKit, preview: Pick<MadeDocument, 'show'>): Promise<void> {
  const typed = await vscode.window.showInputBox({
    title: teamPhrase('connect.title'),
    prompt: teamPhrase('connect.prompt'),
    placeHolder: teamPhrase('connect.place'),
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? undefined : wrongWith(kit, text.trim())),
  });
  const url = typed?.trim();
  if (url === undefined || url === '') return;
  if ((await looked(kit, url, teamPhrase('connect.testing'))) === undefined) return;
  const [yes, show] = [teamPhrase('connect.button'), teamPhrase('connect.preview')];
  const question = teamPhrase('connect.question', { where: kit.control.describe(url) });
  const detail = teamPhrase('connect.detail', { user: kit.user() });
  let choice = await vscode.window.showWarningMessage(question, { modal: true, detail }, yes, show);
  if (choice === show) {
    await preview.show('');
    choice = await vscode.window.showWarningMessage(question, yes);
  }
  if (choice !== yes) return;
  await kit.secrets.set('postgres.url', url);
  void vscode.window.showInformationMessage(teamPhrase('connect.done'));
}

function wrongWith({ control }: TeamKit, url: string): string | undefined {
  try {
    control.describe(url);
    return undefined;
  } catch (error) {
    return troubleText(error);
  }
}

/** Undefined: it can't be reached, and the person was told why. */
async function looked({ control }: TeamKit, url: string, title: string): Promise<TeamCounts | undefined> {
  const options = { location: vscode.ProgressLocation.Notification, title };
  try {
    return await vscode.window.withProgress(options, () => control.look(url));
  } catch (error) {
    void vscode.window.showErrorMessage(troubleText(error));
    return undefined;
  }
}

async function tellStatus(kit: TeamKit): Promise<void> {
  const url = await kit.secrets.get('postgres.url');
  if (url === undefined) {
    void vscode.window.showInformationMessage(teamPhrase('status.off'));
    return;
  }
  const counts = await looked(kit, url, teamPhrase('status.running'));
  if (!counts) return;
  const where = kit.control.describe(url);
  const standing = kit.standing.current();
  const first =
    standing === undefined || standing.kind === 'off'
      ? teamPhrase('status.there', { where })
      : teamPhrase('status.here', {
          where,
          standing: kit.standing.trouble() ?? teamPhrase(`standing.${standing.kind as 'copying' | 'upToDate'}`),
        });
  const { sessions, interactions, sessionEvents: events, workItems: items, machines, seenAt } = counts;
  const last = seenAt === undefined ? teamPhrase('status.never') : new Date(seenAt).toLocaleString(vscode.env.language);
  const second = teamPhrase('status.counts', { sessions, interactions, events, items, machines, last });
  void vscode.window.showInformationMessage(`${first} ${second}`);
}

async function disconnect({ secrets, control }: TeamKit): Promise<void> {
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
  if (choice === keep) {
    void vscode.window.showInformationMessage(teamPhrase('disconnect.done'));
    return;
  }
  try {
    await control.removeRows(url);
    void vscode.window.showInformationMessage(teamPhrase('disconnect.removed'));
  } catch (error) {
    // Without the address nobody could try again.
    await secrets.set('postgres.url', url);
    void vscode.window.showErrorMessage(troubleText(error));
  }
}

function troubleText(error: unknown): string {
  const { kind, message } = error as { readonly kind?: SinkTroubleKind; readonly message?: unknown };
  return teamPhrase(`trouble.${kind ?? 'other'}`, { detail: String(message) });
}
