import * as vscode from 'vscode';
import type { Scope } from '../../app/hooks/hookPorts.ts';
import type { Finding, Fix } from '../../domain/hooks/findings.ts';
import { type ChangeParts, changeHooks } from './changeHooks.ts';
import { askOnFindings, type FindingAnswer } from './findingPick.ts';
import { reportText } from './findingText.ts';
import { hookPhrase } from './hookPhrases.ts';
import { presentFolder } from './projectFolders.ts';
import { showFile } from './showFile.ts';
import type { TopicDocument } from './topicDocument.ts';

export interface DoctorParts extends ChangeParts {
  readonly version: string;
  readonly topics: TopicDocument;
}

/** HKI-5: looks, shows what was found, does what is chosen, and looks again, until the person has seen enough. */
export async function checkHooks(parts: DoctorParts): Promise<void> {
  const project = presentFolder()?.path;
  for (;;) {
    const findings = await examined(parts, project);
    if (findings === undefined) return;
    const answer = await askOnFindings(findings, parts.tilde);
    if (answer === undefined || !(await answered(parts, findings, answer))) return;
  }
}

/** Undefined: the person did not want to wait. What runs then ends by its own limits. */
async function examined(parts: DoctorParts, project: string | undefined): Promise<readonly Finding[] | undefined> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: hookPhrase('doctor.running'),
    cancellable: true,
  };
  return await vscode.window.withProgress(options, (progress, cancel) => {
    progress.report({ message: hookPhrase('doctor.trial') });
    const cancelled = new Promise<undefined>((resolve) => {
      cancel.onCancellationRequested(() => resolve(undefined));
    });
    return Promise.race([parts.kit.doctor.examine(project), cancelled]);
  });
}

/** True: look again. */
async function answered(parts: DoctorParts, findings: readonly Finding[], answer: FindingAnswer): Promise<boolean> {
  switch (answer.does) {
    case 'again':
      return true;
    case 'copy':
      await vscode.env.clipboard.writeText(reportText(parts.version, findings, parts.tilde));
      void vscode.window.showInformationMessage(hookPhrase('doctor.copied'));
      return false;
    case 'open':
      await showFile(answer.file);
      return false;
    case 'fix':
      return await fixed(parts, answer.fix, findings.find(({ fix }) => fix === answer.fix)?.values['file']);
  }
}

/** True: it may be mended now, so look again. */
async function fixed(parts: DoctorParts, fix: Fix, file: unknown): Promise<boolean> {
  switch (fix.kind) {
    case 'install': {
      const scope = await scopeToMend(parts, fix, file);
      return scope !== undefined && (await changeHooks(parts, 'install', scope)) !== 'left';
    }
    case 'open': {
      await showFile(fix.file, fix.line === undefined ? undefined : { line: fix.line, column: fix.column ?? 1 });
      return false;
    }
    case 'refresh': {
      const newer = (await parts.kit.refresh()) === 'newer';
      void vscode.window.showInformationMessage(hookPhrase(newer ? 'fix.newer' : 'fix.refreshed'));
      return true;
    }
    case 'reload':
      await reloadIfWanted();
      return false;
    case 'explain':
      await parts.topics.show(fix.topic);
      return false;
  }
}

/** One scope can have several files: the usual one, and others that were installed in once. */
async function scopeToMend(
  { kit }: DoctorParts,
  { scope: wanted, project }: Extract<Fix, { kind: 'install' }>,
  file: unknown,
): Promise<Scope | undefined> {
  const scopes = (await kit.installer.survey(project)).map(({ scope }) => scope).filter(({ id }) => id === wanted);
  return scopes.find((scope) => scope.file === file) ?? scopes[0];
}

async function reloadIfWanted(): Promise<void> {
  const reload = hookPhrase('button.reload');
  const question = hookPhrase('fix.reloadQuestion');
  if ((await vscode.window.showInformationMessage(question, { modal: true }, reload)) === reload) {
    await vscode.commands.executeCommand('workbench.action.reloadWindow');
  }
}
