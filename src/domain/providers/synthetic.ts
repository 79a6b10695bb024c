/** How to recognise prompts that an agent program submits itself, in place of a person's. */
export interface ProgramPrompts {
  /** Elements that such a prompt begins with; plain text may follow. */
  readonly begins: readonly string[];
  /** Elements that such a prompt begins and ends with; text outside of them would be the person's. */
  readonly encloses: readonly string[];
  /** Sentences of the program, each anchored, so that a prompt which only quotes or continues one stays the person's. */
  readonly sentences: readonly RegExp[];
}

/** The element in which Copilot CLI and editors' agents tell their model that background work has ended. */
export const backgroundNotices: ProgramPrompts = { begins: [], encloses: ['system_notification'], sentences: [] };

/** Did the program write this prompt? Only the exact shapes count; anything else is a person's. */
export function isProgramPrompt(prompt: string, { begins, encloses, sentences }: ProgramPrompts): boolean {
  const text = prompt.trim();
  const opening = /^<([a-z][a-z_-]{0,40})[\s>]/.exec(text)?.[1];
  if (opening !== undefined && begins.includes(opening)) return true;
  if (opening !== undefined && encloses.includes(opening) && encloses.some((name) => text.endsWith(`</${name}>`)))
    return true;
  return sentences.some((sentence) => sentence.test(text));
}
