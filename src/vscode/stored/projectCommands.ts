import * as vscode from 'vscode';
import { agentText } from '../agentText.ts';
import { commandIds, configSection } from '../ids.ts';
import { withoutLinks } from '../noticeText.ts';
import { phraseFor } from '../phrases.ts';
import type { EditorSettings } from '../settings.ts';

const PATH_MAX = 300;

type ProjectCommandId = typeof commandIds.dontLogProject | typeof commandIds.noMemoryForProject;

/** A list of folders in the settings, and which phrases ask about it. */
interface FolderList {
  readonly setting: 'logging.excludedProjects' | 'memory.excludedProjects';
  readonly words: 'unlog' | 'forget';
}

/** CNV-4 MEM-3: adds a project of the tree to a list in the person's settings, after the person agrees. */
export function projectCommands(
  settings: Pick<EditorSettings, 'current'>,
): Readonly<Record<ProjectCommandId, (argument?: unknown) => Promise<void>>> {
  return {
    [commandIds.dontLogProject]: (argument) =>
      exclude(settings, { setting: 'logging.excludedProjects', words: 'unlog' }, argument),
    [commandIds.noMemoryForProject]: (argument) =>
      exclude(settings, { setting: 'memory.excludedProjects', words: 'forget' }, argument),
  };
}

async function exclude(
  settings: Pick<EditorSettings, 'current'>,
  { setting, words }: FolderList,
  argument: unknown,
): Promise<void> {
  const project = projectIn(argument);
  if (project === undefined) return;
  const folder = agentText(project, PATH_MAX);
  if (settings.current()[setting].includes(project))
    return showSentence(phraseFor('project.already', { folder, setting: `${configSection}.${setting}` }));
  const button = phraseFor(`project.${words}.button`);
  const detail = [
    phraseFor(`project.${words}.detail`),
    phraseFor('project.undo', { setting: `${configSection}.${setting}` }),
  ];
  const options = { modal: true, detail: detail.join('\n\n') };
  const answer = await vscode.window.showWarningMessage(phraseFor(`project.${words}`, { folder }), options, button);
  if (answer !== button) return;
  const folders = [...settings.current()[setting], project];
  try {
    await vscode.workspace.getConfiguration(configSection).update(setting, folders, vscode.ConfigurationTarget.Global);
  } catch (error) {
    const reason = agentText(error instanceof Error ? error.message : String(error), PATH_MAX);
    void vscode.window.showErrorMessage(withoutLinks(phraseFor('project.failed', { reason })));
  }
}

/** The project in a command's argument: the tree passes the line that was clicked. */
export function projectIn(argument: unknown): string | undefined {
  if (typeof argument !== 'object' || argument === null || !('project' in argument)) return undefined;
  return typeof argument.project === 'string' && argument.project !== '' ? argument.project : undefined;
}

function showSentence(sentence: string): void {
  void vscode.window.showInformationMessage(withoutLinks(sentence));
}
