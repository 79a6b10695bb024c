import * as vscode from 'vscode';
import type { Clock, StateSource } from '../../app/ports.ts';
import type { RelayKit } from '../../app/relay/relayPorts.ts';
import type { Collector } from '../../app/windowPorts.ts';
import { codeMarkdown, fencedCode, plainMarkdown } from '../../domain/markdownText.ts';
import { chatText, slackText, threadName } from '../../domain/relay/chatText.ts';
import { type Draft, startedDraft, waitDrafts } from '../../domain/relay/drafts.ts';
import { relayScheme } from '../ids.ts';
import { createMadeDocument, type MadeDocument } from '../madeDocument.ts';
import { moments } from '../moment.ts';
import { otherHolder } from '../otherHolder.ts';
import { relayPhrase } from './relayPhrases.ts';

const REPLIES_MAX = 10;
const PAGE = 200;
/** So many pages are read in search of the last replies. */
const PAGES_MAX = 50;

export interface PreviewParts {
  readonly kit: Pick<RelayKit, 'rules' | 'word' | 'channelOf'>;
  readonly source: Pick<StateSource, 'snapshot'>;
  readonly collector: Pick<Collector, 'list' | 'session'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** RLY-3: what would leave this machine of a session, as it would. */
export function createRelayPreview(parts: PreviewParts): MadeDocument {
  return createMadeDocument({
    scheme: relayScheme,
    name: () => relayPhrase('preview.title'),
    text: (sessionId) => previewText(parts, sessionId),
    unknown: () => relayPhrase('preview.unknown'),
  });
}

export async function previewText(parts: PreviewParts, id: string): Promise<string | undefined> {
  const { kit, source, collector, clock } = parts;
  const found = await collector.session(id);
  if (!found) return undefined;
  const { agents, ...session } = found;
  const { target, send } = kit.rules.current();
  const project = session.project || session.cwd;
  const channel = kit.channelOf(project);
  const live = source.snapshot().agents.filter(({ sessionId }) => sessionId === id);
  const waiting = (live.length > 0 ? live : agents).map((agent) => ({ agent }));
  const drafts = [
    startedDraft(session, kit.word),
    ...(await lastReplies(collector, id)),
    ...waitDrafts({ agents: waiting }, kit.word),
  ];
  const where =
    target === 'off'
      ? relayPhrase('preview.off')
      : channel === undefined
        ? relayPhrase('preview.noChannel')
        : relayPhrase(target === 'webhook' ? 'preview.toWebhook' : 'preview.to', {
            target: relayPhrase(`setUp.${target}`),
            channel: codeMarkdown(channel) || relayPhrase('preview.ownChannel'),
            thread: codeMarkdown(threadName({ ...session, project })),
          });
  const other = target === 'off' ? undefined : otherHolder(source);
  const elsewhere = other ? [plainMarkdown(relayPhrase(`elsewhere.${other.kind}`, { app: other.app }))] : [];
  const moment = moments({ locale: vscode.env.language, now: clock.now() });
  const messages = drafts.map(({ kind, at, text }) => {
    const note = send[kind] ? '' : ` (${relayPhrase('preview.notChosen')})`;
    const words = target === 'webhook' ? slackText(text) : text;
    return `${relayPhrase(`kind.${kind}`)} · ${moment(at)}${note}\n\n${fencedCode(words)}`;
  });
  const nothing = messages.length === 0 ? [relayPhrase('preview.nothing')] : [];
  const title = `# ${plainMarkdown(relayPhrase('preview.title'))}`;
  return [title, relayPhrase('preview.intro'), where, ...elsewhere, ...nothing, ...messages].join('\n\n');
}

async function lastReplies(collector: Pick<Collector, 'list'>, id: string): Promise<readonly Draft[]> {
  let replies: readonly Draft[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const said = await collector.list(id, 'interactions', { limit: PAGE, cursor });
    if (said === undefined || said === 'unknown') break;
    const mine = said.items.filter(({ role, agentId }) => role === 'assistant' && /\/(?:main|leader)$/.test(agentId));
    const drafts = mine.map(({ id: event, ts, content }) => ({
      ...{ id: event, kind: 'reply' as const, at: ts, text: chatText(content) },
    }));
    replies = [...replies, ...drafts].slice(-REPLIES_MAX);
    if (said.next === null) break;
    cursor = said.next;
  }
  return replies;
}
