import { isOurCommand } from '../../domain/hooks/command.ts';
import type { HooksFormat, HookSet } from '../../domain/hooks/hookSet.ts';

/** One hook of a settings file, where it stands. `group` and `index` count from 0; without groups `index` is 0. */
export interface ListedHook {
  readonly event: string;
  readonly group: number;
  readonly index: number;
  /** Empty: it runs no command. */
  readonly command: string;
  readonly ours: boolean;
}

/** All hooks of a settings text; none where it can't be read. */
export function listHooks(text: string | undefined, format: HooksFormat): readonly ListedHook[] {
  const hooks = fieldOf(parsed(text), 'hooks');
  if (!isRecord(hooks)) return [];
  return Object.entries(hooks).flatMap(([event, groups]) =>
    listOf(groups).flatMap((element, group) => {
      const inGroup = format.shape === 'grouped' ? listOf(fieldOf(element, 'hooks')) : [element];
      return inGroup.map((hook, index): ListedHook => {
        const value = fieldOf(hook, format.commandKey);
        const command = typeof value === 'string' ? value : '';
        return { event, group, index, command, ours: isOurCommand(command) };
      });
    }),
  );
}

/** What we would write ourselves. */
export function commandsOf({ format, entries }: HookSet): readonly string[] {
  const hooks = Object.fromEntries(entries.map(({ event }) => [event, [] as unknown[]]));
  for (const { event, element } of entries) hooks[event]?.push(element);
  return listHooks(JSON.stringify({ hooks }), format).map(({ command }) => command);
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse((text ?? '').replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

function fieldOf(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
