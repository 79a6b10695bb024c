/** A hook's payload as `JSON.parse` gave it. What is in it is the agent's word, so every field is asked for its type. */
export type Payload = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a JSON object, with or without a byte order mark before it. */
export function parseObject(text: string): Payload | undefined {
  try {
    // `trim` removes the mark, which JSON does not allow.
    const value: unknown = JSON.parse(text.trim());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function textOf(payload: Payload, key: string): string | undefined {
  const value = payload[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function eventNameOf(payload: Payload): string {
  return textOf(payload, 'hook_event_name') ?? textOf(payload, 'hook_type') ?? '';
}

/** The one event that waits for an answer with a person looking on, and the one at which lookups may cost a process. */
export function startsSession(payload: Payload): boolean {
  return /^session-?start$/i.test(eventNameOf(payload));
}
