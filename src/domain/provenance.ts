import { isProviderId } from '../protocol/providers.ts';
import type { Digest, PersonWords } from '../protocol/stored.ts';
import { commandShape } from './commandShape.ts';
import { amount, namedFile, quoted } from './plainWords.ts';
import { oneLine } from './text.ts';

declare const part: unique symbol;
/**
 * MEM-5: a text that may enter an agent's context. Only the functions of this file make one: from our own words, or from words whose
 * author the function names. So the text of an agent or a tool can't get into a context by accident.
 */
export type ContextPart = string & { readonly [part]: true };

declare const agent: unique symbol;
/** An agent's words that may be quoted to other agents. */
export type AgentWords = string & { readonly [agent]: true };

/** Our own words around parts. */
export function ours(words: TemplateStringsArray, ...parts: readonly (ContextPart | number)[]): ContextPart {
  return String.raw({ raw: words }, ...parts) as ContextPart;
}

export function joined(parts: readonly ContextPart[], separator: '' | ' ' | ', ' | ' · '): ContextPart {
  return parts.join(separator) as ContextPart;
}

/** Marks a text as the person's. The caller must know that the person wrote it. */
export function personWords(text: string, max: number): PersonWords {
  return oneLine(text, max) as PersonWords;
}

export function quotedPerson(words: PersonWords, max: number): ContextPart {
  return quoted(words, max) as ContextPart;
}

/**
 * MEM-5: an agent's text, if its session is known to have used neither the network nor an MCP server; otherwise it might repeat a
 * stranger's text. Undefined if it may not be quoted.
 */
export function agentWords(text: string | null, from: Digest | undefined, isAllowed: boolean): AgentWords | undefined {
  return isAllowed && from?.reachedOut === false && text ? (text as AgentWords) : undefined;
}

export function quotedAgent(words: AgentWords, max: number): ContextPart {
  return quoted(words, max) as ContextPart;
}

export function fileName(path: string, max: number): ContextPart {
  return namedFile(path, max) as ContextPart;
}

/** A command in quotes, without the free text that an agent can write into one. */
export function commandName(command: string, max: number): ContextPart {
  return quoted(commandShape(command), max) as ContextPart;
}

export function providerName(provider: string): ContextPart {
  return (isProviderId(provider) ? provider : 'unknown agent') as ContextPart;
}

/** A word of an agent program, such as `rate_limit`; undefined for anything that could be a sentence. */
export function programWord(word: string | undefined): ContextPart | undefined {
  return word !== undefined && /^[a-z][\w-]{0,39}$/i.test(word) ? (word as ContextPart) : undefined;
}

/** The id of a work item: its form was checked when the item was made. */
export function itemName(id: string, max: number): ContextPart {
  return namedFile(id, max) as ContextPart;
}

export function counted(count: number, noun: 'minute' | 'hour' | 'day' | 'prompt' | 'tool call'): ContextPart {
  return amount(count, noun) as ContextPart;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function ageOf(ts: string, now: number): ContextPart {
  const age = now - Date.parse(ts);
  // Unreadable, or from a clock that is ahead of ours.
  if (!(age >= MINUTE)) return ours`just now`;
  if (age < HOUR) return ours`${counted(Math.floor(age / MINUTE), 'minute')} ago`;
  if (age < DAY) return ours`${counted(Math.floor(age / HOUR), 'hour')} ago`;
  return ours`${counted(Math.floor(age / DAY), 'day')} ago`;
}

/** The date beside an age: the text is kept, and "just now" alone would become untrue. */
export function dateOf(ts: string): ContextPart {
  const at = new Date(ts);
  const words = Number.isNaN(at.getTime()) ? '' : ` (${at.toISOString().slice(0, 16).replace('T', ' ')} UTC)`;
  return words as ContextPart;
}
