import * as vscode from 'vscode';

/** `back`: to the step before. Undefined: the person left. */
export type Answered<T> = T | 'back' | undefined;

export interface Step {
  readonly title: string;
  /** From 1. */
  readonly step: number;
  /** Undefined: it depends on the answer. */
  readonly totalSteps: number | undefined;
}

export interface TextStep extends Step {
  readonly prompt: string;
  readonly value: string;
  readonly password: boolean;
  /** What is wrong with it. */
  readonly wrong: (text: string) => string | undefined;
  /** A page that tells where it is found. */
  readonly link?: { readonly words: string; readonly url: string };
}

export function askText({ wrong, link, ...step }: TextStep): Promise<Answered<{ readonly text: string }>> {
  const box = Object.assign(vscode.window.createInputBox(), step, { ignoreFocusOut: true });
  const linkButton = link && { iconPath: new vscode.ThemeIcon('link-external'), tooltip: link.words };
  box.buttons = [...backIn(step), ...(linkButton ? [linkButton] : [])];
  return new Promise((resolve) => {
    const done = (answer: Answered<{ readonly text: string }>) => {
      resolve(answer);
      box.hide();
      box.dispose();
    };
    // Whoever has not finished is not told that it is wrong.
    box.onDidChangeValue(() => (box.validationMessage = undefined));
    box.onDidAccept(() => {
      const text = box.value.trim();
      box.validationMessage = wrong(text);
      if (box.validationMessage === undefined) done({ text });
    });
    box.onDidTriggerButton((button) => {
      if (button === vscode.QuickInputButtons.Back) done('back');
      else if (link) void vscode.env.openExternal(vscode.Uri.parse(link.url));
    });
    box.onDidHide(() => done(undefined));
    box.show();
  });
}

export function pickOne<T extends vscode.QuickPickItem>(
  items: readonly T[],
  step: Step & { readonly placeholder: string },
): Promise<Answered<T>> {
  const pick = Object.assign(vscode.window.createQuickPick<T>(), step, { ignoreFocusOut: true, items });
  pick.buttons = backIn(step);
  return new Promise((resolve) => {
    const done = (answer: Answered<T>) => {
      resolve(answer);
      pick.hide();
      pick.dispose();
    };
    pick.onDidAccept(() => done(pick.selectedItems[0]));
    pick.onDidTriggerButton(() => done('back'));
    pick.onDidHide(() => done(undefined));
    pick.show();
  });
}

function backIn({ step }: Pick<Step, 'step'>): readonly vscode.QuickInputButton[] {
  return step > 1 ? [vscode.QuickInputButtons.Back] : [];
}
