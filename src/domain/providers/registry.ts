import { isProviderId, type ProviderId } from '../../protocol/providers.ts';
import { claude } from './claude/claude.ts';
import { codex } from './codex/codex.ts';
import { copilot } from './copilot/copilot.ts';
import { cursor } from './cursor/cursor.ts';
import { gemini } from './gemini/gemini.ts';
import { noReplies, plainCalls, type Provider } from './provider.ts';
import { vscodeChat } from './vscodeChat/vscodeChat.ts';

/** Providers with unmistakable payloads come first, because the first match wins. */
const byId = { claude, codex, gemini, cursor, vscode: vscodeChat, copilot } satisfies Record<ProviderId, Provider>;

export const providers: readonly Provider[] = Object.values(byId);

/** A program that we do not know: everything it sends is kept and shown as plain news. */
function plainProvider(id: string): Provider {
  return { id, hooks: {}, subagentId: () => undefined, replies: noReplies, calls: plainCalls };
}

export function providerFor(id: string): Provider {
  return isProviderId(id) ? byId[id] : plainProvider(id);
}
