import * as vscode from 'vscode';
import type { Clock, Disposable } from '../../app/ports.ts';
import type { Collector } from '../../app/windowPorts.ts';
import { lastPart } from '../../domain/folders.ts';
import { reportText } from '../../domain/reportText.ts';
import { type ReportTelling, reportWords } from '../../domain/reportWords.ts';
import { agentText } from '../agentText.ts';
import { reportScheme } from '../ids.ts';
import { durationText, fullMoments, moments } from '../moment.ts';
import { phraseFor } from '../phrases.ts';
import { createDocumentView } from './documentView.ts';

export interface ReportDocument extends Disposable {
  /** Opens a session's report, made anew, or says why there is none. */
  show(sessionId: string): Promise<void>;
  /** CNV-4: something was deleted: what is open is made again. */
  erased(): void;
}

export interface ReportDocumentParts {
  readonly collector: Pick<Collector, 'report'>;
  readonly clock: Clock;
}

interface Opened {
  readonly address: vscode.Uri;
  text: string;
}

/** EVT-1: what became of a session, as read-only Markdown. */
export function createReportDocument({ collector, clock }: ReportDocumentParts): ReportDocument {
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const view = createDocumentView(changed, clock);
  const opened = new Map<string, Opened>();

  function ask(sessionId: string): ReturnType<Collector['report']> {
    const options = { location: vscode.ProgressLocation.Window, title: phraseFor('report.making') };
    return Promise.resolve(vscode.window.withProgress(options, () => collector.report(sessionId)));
  }

  function textOf(report: Awaited<ReturnType<Collector['report']>>): string {
    if (report === undefined) return phraseFor('report.unknown');
    return report === 'unknown' ? phraseFor('conversation.erased') : reportText(report, reportTelling(clock.now()));
  }

  const disposables = vscode.Disposable.from(
    changed,
    view,
    vscode.workspace.registerTextDocumentContentProvider(reportScheme, {
      onDidChange: changed.event,
      async provideTextDocumentContent(address) {
        const known = opened.get(address.query);
        if (known) return known.text;
        // After a reload the editor brings back what was open, before anybody asked for it here.
        const text = textOf(await ask(address.query));
        opened.set(address.query, { address, text });
        return text;
      },
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      if (uri.scheme === reportScheme) opened.delete(uri.query);
    }),
  );

  return {
    async show(sessionId) {
      const report = await ask(sessionId);
      const text = textOf(report);
      if (report === undefined || report === 'unknown') {
        void vscode.window.showInformationMessage(text);
        return;
      }
      const { project, cwd } = report.session;
      const one = opened.get(sessionId) ?? { address: addressOf(sessionId, project || cwd), text };
      one.text = text;
      opened.set(sessionId, one);
      await view.show(one.address, text, 'beginning');
    },
    erased() {
      for (const [sessionId, one] of opened) void renew(sessionId, one);
    },
    dispose: () => disposables.dispose(),
  };

  async function renew(sessionId: string, one: Opened): Promise<void> {
    one.text = textOf(await ask(sessionId));
    await view.renew(one.address, one.text);
  }
}

function addressOf(sessionId: string, folder: string): vscode.Uri {
  const name = phraseFor('report.name', { project: agentText(lastPart(folder)) || agentText(sessionId) });
  return vscode.Uri.from({ scheme: reportScheme, path: `/${name.replace(/[\\/]/g, ' ')}.md`, query: sessionId });
}

function reportTelling(now: number): ReportTelling {
  const time = { locale: vscode.env.language, now };
  const numbers = new Intl.NumberFormat(time.locale, { maximumFractionDigits: 1 });
  const number = (value: number) => numbers.format(value);
  return {
    word: (key, places = {}) => vscode.l10n.t(reportWords[key], places),
    moment: fullMoments(time),
    time: moments(time),
    number,
    duration: (ms) => durationText(ms, { l10n: vscode.l10n, number }),
  };
}
