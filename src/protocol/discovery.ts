/**
 * The port file: how a forwarder, a follower or a person's script finds the collector. The forwarder imports this file,
 * so the check is written by hand and nothing here may import a package.
 */

export const PORT_FILE_NAME = 'collector.json';
export const HOME_SETTINGS_FILE_NAME = 'settings.json';
export const EDITORS_FILE_NAME = 'editors.json';
export const HOME_FOLDER_NAME = '.agent-mascot';

/** What `GET /health` answers. Only a collector of ours says exactly this and names itself in the header below. */
export const HEALTH_TEXT = 'ok';
/** A response header of every answer: for people who look at one. Anybody can send it, so it proves nothing. */
export const PRODUCT_HEADER = 'x-agent-mascot';

/**
 * How a collector proves that it is ours to somebody who has no live port file: the asker sends a random word, the collector
 * answers HMAC-SHA256(key, `<word>:<port>`) in hex. The key is in the home, readable by its person alone; the port is the
 * one that was asked, so that a foreign server can't have the real collector answer for it.
 */
export const PROOF_KEY_FILE_NAME = 'proof.key';
export const CHALLENGE_HEADER = 'x-agent-mascot-challenge';
export const PROOF_HEADER = 'x-agent-mascot-proof';

/**
 * SEC-7: the person's token, in a file of its own; deleting needs it. Neither hooks nor the port file nor an agent's environment contain
 * it. A window sends it beside the port file's token, so that a collector of an older version, which ignores the header, still accepts
 * the window.
 */
export const PERSON_KEY_FILE_NAME = 'person.key';
export const PERSON_HEADER = 'x-agent-mascot-person';
/** Marks a request as an agent's, as a query: `session=…&processes=1,2&namespace=…&folder=…`; each part may be absent. */
export const AGENT_HEADER = 'x-agent-mascot-agent';

export function proofText(challenge: string, port: number): string {
  return `${challenge}:${port}`;
}

/**
 * SEC-8: the text whose HMAC-SHA256 an answer to a hook has in `PROOF_HEADER`. It binds the answer to the request's body; without it a
 * hook prints nothing. It contains line breaks, which no `proofText` can, so neither can stand for the other.
 */
export function answerProofText(port: number, bodySha256: string, answer: string): string {
  return `answer\n${port}\n${bodySha256}\n${answer}`;
}

/** SEC-8: the file that names a collector on another machine: `{ "url", "token", "ca"? }`. */
export const REMOTE_FILE_NAME = 'remote.json';

export interface PortFile {
  readonly version: 1;
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly pid: number;
  /** Random, new for each start: tells a restarted collector from the one that a reader knew. */
  readonly instance: string;
  /** Rises with every owner; a deposed owner sees a higher one and stops writing. */
  readonly generation: number;
  /** When the process `pid` started (ISO-8601), so that a reused pid is not taken for the owner. */
  readonly startedAt: string;
  /** `<boot id>:<ticks>` on Linux: the same start, told in a way that does not move when the clock is set. */
  readonly kernelStart?: string | undefined;
  readonly app: string;
}

export function parsePortFile(text: string): PortFile | undefined {
  const value = parseObject(text);
  if (value?.['version'] !== 1) return undefined;
  const { url, port, token, pid, instance, generation, startedAt, kernelStart, app } = value;
  if (typeof url !== 'string' || !isPort(port) || typeof token !== 'string' || token === '') return undefined;
  if (!isPositiveInteger(pid) || typeof instance !== 'string' || typeof startedAt !== 'string') return undefined;
  if (url !== `http://127.0.0.1:${port}`) return undefined;
  return {
    version: 1,
    url,
    port,
    token,
    pid,
    instance,
    generation: isPositiveInteger(generation) ? generation : 0,
    startedAt,
    ...(typeof kernelStart === 'string' ? { kernelStart } : {}),
    app: typeof app === 'string' ? app : '',
  };
}

/** What the owner leaves in `<home>/settings.json` for programs that can't ask the editor. */
export interface HomeSettings {
  readonly version: 1;
  readonly collectorPort: number;
  /** Absent in a file of an older version. */
  readonly autoLaunch?: AutoLaunch | undefined;
}

/** FWD-7: when the start of an agent may start the editor; `interactive`: if a person sits at its terminal. */
export const autoLaunchWords = ['interactive', 'always', 'never'] as const;
export type AutoLaunch = (typeof autoLaunchWords)[number];

export function parseHomeSettings(text: string): HomeSettings | undefined {
  const value = parseObject(text);
  if (value?.['version'] !== 1 || !isPort(value['collectorPort'])) return undefined;
  const autoLaunch = autoLaunchWords.find((word) => word === value['autoLaunch']);
  return { version: 1, collectorPort: value['collectorPort'], ...(autoLaunch && { autoLaunch }) };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function isPositiveInteger(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function isPort(value: unknown): value is number {
  return isPositiveInteger(value) && value < 65_536;
}
