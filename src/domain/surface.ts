import type { Surface } from '../protocol/state.ts';
import { providers } from './providers/registry.ts';

const surfaceByEntrypoint: Readonly<Record<string, Surface>> = Object.assign(
  {},
  ...providers.map(({ surfaces }) => surfaces),
) as Record<string, Surface>;

/** Where an agent runs, from its own word for how it was started; undefined when it does not say. */
export function surfaceOf(entrypoint: string | undefined): Surface | undefined {
  if (entrypoint === undefined || entrypoint === '') return undefined;
  const known = Object.hasOwn(surfaceByEntrypoint, entrypoint) ? surfaceByEntrypoint[entrypoint] : undefined;
  return known ?? (/^sdk-/.test(entrypoint) ? 'headless' : 'unknown');
}
