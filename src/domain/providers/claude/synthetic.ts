/** The prompt that the agent sends itself when background work ends; nobody typed it. */
const NOTICE = '<task-notification>';

/** The id stands in its second line; what follows may be a report of any length. */
const HEAD_MAX = 2_000;

export function isSynthetic(prompt: string): boolean {
  return prompt.trimStart().startsWith(NOTICE);
}

/** Whose end it reports: a sub-agent by its own id, or a background command by an id that is no agent's. */
export function finishedIn(prompt: string): string | undefined {
  if (!isSynthetic(prompt)) return undefined;
  return /<task-id>([^<>\s]{1,200})<\/task-id>/.exec(prompt.trimStart().slice(0, HEAD_MAX))?.[1];
}

/** What the program runs itself, and what that prints, is nobody's words to the model. */
export function isLocalCommand(text: string): boolean {
  return /^<(?:command-(?:name|message|args)|local-command-[a-z]{1,20}|bash-(?:input|stdout|stderr))>/.test(text);
}
