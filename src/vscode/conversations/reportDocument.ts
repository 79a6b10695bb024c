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
import { DocumentView } from './documentView.ts';

export interface ReportDocumentParts {
  readonly collector: Pick<Collector, 'report'>;
  readonly clock: Clock;
}

type ReportAnswer = Awaited<ReturnType<Collector['report']>>;

interface OpenReport {
  readonly address: vscode.Uri;
  text: string;
}

/** EVT-1: what became of a session, as read-only Markdown documents. */
export class ReportDocuments implements Disposable {
  readonly #collector: Pick<Collector, 'report'>;
  readonly #clock: Clock;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #view: DocumentView;
  readonly #opened = new Map<string, OpenReport>();
  readonly #disposables: Disposable;

  constructor({ collector, clock }: ReportDocumentParts) {
    this.#collector = collector;
    this.#clock = clock;
    this.#view = new DocumentView(this.#changed, clock);
    this.#disposables = vscode.Disposable.from(
      this.#changed,
      this.#view,
      vscode.workspace.registerTextDocumentContentProvider(reportScheme, {
        onDidChange: this.#changed.event,
        provideTextDocumentContent: (address) => this.#provide(address),
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === reportScheme) this.#opened.delete(uri.query);
      }),
    );
  }

  /** Opens a session's report, made anew, or says why there is none. */
  async show(sessionId: string): Promise<void> {
    const report = await this.#ask(sessionId);
    const text = this.#textOf(report);
    if (report === undefined || report === 'unknown') {
      void vscode.window.showInformationMessage(text);
      return;
    }
    const { project, cwd } = report.session;
    const one = this.#opened.get(sessionId) ?? { address: addressOf(sessionId, project || cwd), text };
    one.text = text;
    this.#opened.set(sessionId, one);
    await this.#view.show(one.address, text, 'beginning');
  }

  /** CNV-4: makes every open report again. Called after something was deleted. */
  reread(): void {
    for (const [sessionId, one] of this.#opened) void this.#renew(sessionId, one);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  async #provide(address: vscode.Uri): Promise<string> {
    const known = this.#opened.get(address.query);
    if (known) return known.text;
    // After a reload the editor brings back its open documents before anything here has asked for them.
    const text = this.#textOf(await this.#ask(address.query));
    this.#opened.set(address.query, { address, text });
    return text;
  }

  async #renew(sessionId: string, one: OpenReport): Promise<void> {
    one.text = this.#textOf(await this.#ask(sessionId));
    await this.#view.renew(one.address, one.text);
  }

  #ask(sessionId: string): Promise<ReportAnswer> {
    const options = { location: vscode.ProgressLocation.Window, title: phraseFor('report.making') };
    return Promise.resolve(vscode.window.withProgress(options, () => this.#collector.report(sessionId)));
  }

  #textOf(report: ReportAnswer): string {
    if (report === undefined) return phraseFor('report.unknown');
    if (report === 'unknown') return phraseFor('conversation.erased');
    return reportText(report, reportFormat(this.#clock.now()));
  }
}

function addressOf(sessionId: string, folder: string): vscode.Uri {
  const name = phraseFor('report.name', { project: agentText(lastPart(folder)) || agentText(sessionId) });
  return vscode.Uri.from({ scheme: reportScheme, path: `/${name.replace(/[\\/]/g, ' ')}.md`, query: sessionId });
}

function reportFormat(now: number): ReportTelling {
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
