/** English of what is said in a chat, with `{name}` places; the editor's translations are in media/l10n. */
export const relayWords = {
  started: '👋 A {agent} session in {project}',
  permission: '🔐 Needs your permission: {what}',
  question: '❓ Has a question: {what}',
  failed: '💥 The turn failed: {what}',
  escalation: '🆘 Needs your help: {what}',
  decision: '📌 Decided: {what}',
  working: '▶️ Working',
  yourMove: '✋ Your move',
  interrupted: '✋ Interrupted. Your move',
  ended: '🏁 The session ended',
  unsaid: 'it did not say what',
} as const;

/** Fills a word's places in the reader's language. */
export type RelayWord = (key: keyof typeof relayWords, places?: Readonly<Record<string, string>>) => string;

export const englishRelayWord: RelayWord = (key, places = {}) =>
  relayWords[key].replace(/\{(\w+)\}/g, (whole, name: string) => places[name] ?? whole);
