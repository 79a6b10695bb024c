import { readTomlKeys, type TomlEntry } from './tomlKeys.ts';

/** What Codex's `config.toml` says about hooks. */
export interface CodexConfigHooks {
  /** Keys of hooks that it was told to trust. Whether one changed since only Codex can tell. */
  readonly trusted: ReadonlySet<string>;
  /** There are hooks in this very file: Codex warns at each start when there are some in `hooks.json` too. */
  readonly inline: boolean;
}

export interface CodexHook {
  readonly file: string;
  readonly key: string;
  readonly command: string;
  readonly trust: 'trusted' | 'untrusted' | 'modified';
  /** The person can turn a single hook off. */
  readonly enabled: boolean;
}

export interface CodexTrustCount {
  readonly trusted: number;
  readonly untrusted: number;
  readonly changed: number;
}

/** HKI-8: the name by which Codex remembers its trust. `group` and `index` count from 0. */
export function codexKeyOf(file: string, event: string, group: number, index: number): string {
  const snake = event.replace(/[A-Z]/g, (letter, at: number) => (at === 0 ? '' : '_') + letter.toLowerCase());
  return `${file}:${snake}:${group}:${index}`;
}

export function readCodexConfig(text: string): CodexConfigHooks {
  const { tables, entries } = readTomlKeys(text);
  return {
    trusted: new Set(entries.flatMap(trustedKey)),
    inline: tables.some(isInline) || entries.some(({ path, value }) => isInline(path) || isInlineTable(path, value)),
  };
}

function trustedKey({ path, value }: TomlEntry): readonly string[] {
  const [hooks, state, key, field, ...more] = path;
  if (hooks !== 'hooks' || state !== 'state' || key === undefined || more.length > 0) return [];
  const isTrusted = field === undefined ? /^\{[^]*\btrusted_hash\s*=\s*["'][^"']/.test(value) : isHash(field, value);
  return isTrusted ? [key] : [];
}

function isHash(field: string, value: string): boolean {
  return field === 'trusted_hash' && /^["'][^"']/.test(value);
}

function isInline([hooks, event]: readonly string[]): boolean {
  return hooks === 'hooks' && event !== undefined && event !== 'state';
}

/** `hooks = { … }`. */
function isInlineTable(path: readonly string[], value: string): boolean {
  if (path.length !== 1 || path[0] !== 'hooks' || !value.startsWith('{')) return false;
  const first = /^\{\s*["']?(\w+)/.exec(value)?.[1];
  return first !== undefined && first !== 'state';
}

/** The answer of Codex's `hooks/list`. Undefined: it is of a form that we don't know. */
export function readHooksList(answer: unknown): readonly CodexHook[] | undefined {
  const folders = fieldOf(answer, 'data');
  if (!Array.isArray(folders)) return undefined;
  return folders.flatMap((folder) => {
    const hooks = fieldOf(folder, 'hooks');
    return Array.isArray(hooks) ? hooks.flatMap(readHook) : [];
  });
}

function readHook(hook: unknown): readonly CodexHook[] {
  const file = fieldOf(hook, 'sourcePath');
  const key = fieldOf(hook, 'key');
  const command = fieldOf(hook, 'command');
  const status = fieldOf(hook, 'trustStatus');
  if (typeof file !== 'string' || typeof command !== 'string') return [];
  const trust = status === 'trusted' || status === 'modified' ? status : 'untrusted';
  return [
    { file, key: typeof key === 'string' ? key : '', command, trust, enabled: fieldOf(hook, 'enabled') !== false },
  ];
}

/** By file and command: a hook that stands there twice is run once, so one that is trusted is enough. */
export function countListed(hooks: readonly CodexHook[], file: string, commands: readonly string[]): CodexTrustCount {
  const of = commands.map((command) => {
    const same = hooks.filter((hook) => hook.file === file && hook.command === command);
    if (same.some(({ trust, enabled }) => trust === 'trusted' && enabled)) return 'trusted';
    return same.some(({ trust }) => trust === 'modified') ? 'changed' : 'untrusted';
  });
  const count = (wanted: string) => of.filter((found) => found === wanted).length;
  return { trusted: count('trusted'), untrusted: count('untrusted'), changed: count('changed') };
}

/** Where Codex can't be asked: a hook with a remembered trust counts as trusted, for a change can't be seen from here. */
export function countRemembered({ trusted }: CodexConfigHooks, keys: readonly string[]): CodexTrustCount {
  const known = keys.filter((key) => trusted.has(key)).length;
  return { trusted: known, untrusted: keys.length - known, changed: 0 };
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}
