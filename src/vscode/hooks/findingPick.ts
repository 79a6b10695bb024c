import * as vscode from 'vscode';
import type { Finding, Fix } from '../../domain/hooks/findings.ts';
import { findingPhrase } from './findingText.ts';
import { hookPhrase, type Tilde } from './hookPhrases.ts';
import { withoutIcons } from '../agentText.ts';

export type FindingAnswer =
  | { readonly does: 'fix'; readonly fix: Fix }
  | { readonly does: 'open'; readonly file: string }
  | { readonly does: 'copy' }
  | { readonly does: 'again' };

interface FindingItem extends vscode.QuickPickItem {
  readonly answer?: FindingAnswer;
  readonly file?: string;
}

const icons: Readonly<Record<Finding['level'], string>> = {
  good: '$(pass)',
  note: '$(info)',
  warning: '$(warning)',
  error: '$(error)',
};

/** What was found, what is to be mended first. Undefined: the person has seen enough. */
export function askOnFindings(findings: readonly Finding[], tilde: Tilde): Promise<FindingAnswer | undefined> {
  const question = vscode.window.createQuickPick<FindingItem>();
  question.title = hookPhrase('doctor.title');
  question.placeholder = summary(findings);
  question.ignoreFocusOut = true;
  question.matchOnDetail = true;
  question.items = itemsOf(findings, tilde);
  return new Promise((resolve) => {
    const answer = (given: FindingAnswer) => {
      resolve(given);
      question.hide();
    };
    question.onDidAccept(() => {
      const given = question.selectedItems[0]?.answer;
      // What is in order is there to be read.
      if (given !== undefined) answer(given);
    });
    question.onDidTriggerItemButton(({ item: { file } }) => {
      if (file !== undefined) answer({ does: 'open', file });
    });
    question.onDidHide(() => {
      resolve(undefined);
      question.dispose();
    });
    question.show();
  });
}

type Part = 'toMend' | 'suggestions' | 'good';

/** A note that something can be done about is no problem, and not in order either. */
function partOf({ level, fix }: Finding): Part {
  if (level === 'error' || level === 'warning') return 'toMend';
  return level === 'note' && fix !== undefined ? 'suggestions' : 'good';
}

function summary(findings: readonly Finding[]): string {
  const count = (part: Part) => findings.filter((finding) => partOf(finding) === part).length;
  if (count('toMend') > 0) return hookPhrase('doctor.problems', { count: count('toMend') });
  if (count('suggestions') > 0) return hookPhrase('doctor.suggested', { count: count('suggestions') });
  return hookPhrase('doctor.healthy');
}

function itemsOf(findings: readonly Finding[], tilde: Tilde): readonly FindingItem[] {
  const section = (part: Part): readonly FindingItem[] => {
    const mine = findings.filter((finding) => partOf(finding) === part);
    return mine.length === 0 ? [] : [separator(`doctor.${part}`), ...mine.map((finding) => itemOf(finding, tilde))];
  };
  return [
    ...section('toMend'),
    ...section('suggestions'),
    ...section('good'),
    separator('doctor.more'),
    {
      label: `$(copy) ${hookPhrase('doctor.copy')}`,
      detail: hookPhrase('doctor.copyDetail'),
      alwaysShow: true,
      answer: { does: 'copy' },
    },
    { label: `$(refresh) ${hookPhrase('doctor.again')}`, alwaysShow: true, answer: { does: 'again' } },
  ];
}

function separator(title: `doctor.${Part | 'more'}`): FindingItem {
  return { label: hookPhrase(title), kind: vscode.QuickPickItemKind.Separator };
}

function itemOf(finding: Finding, tilde: Tilde): FindingItem {
  const { fix, level } = finding;
  const file = fileOf(finding);
  return {
    label: `${icons[level]} ${withoutIcons(findingPhrase(finding, tilde))}`,
    ...(fix === undefined ? {} : { detail: hookPhrase(`fix.${fix.kind}`), answer: { does: 'fix', fix } as const }),
    ...(file === undefined
      ? {}
      : { file, buttons: [{ iconPath: new vscode.ThemeIcon('go-to-file'), tooltip: hookPhrase('button.openFile') }] }),
  };
}

/** A settings file that a finding is about; an absent one can't be opened. */
function fileOf({ code, values, fix }: Finding): string | undefined {
  if (fix?.kind === 'open') return fix.file;
  const file = code === 'scope.absent' ? undefined : values['file'];
  return typeof file === 'string' && /^(?:\/|[A-Za-z]:[\\/])/.test(file) && /\.(?:json|toml)$/.test(file)
    ? file
    : undefined;
}
