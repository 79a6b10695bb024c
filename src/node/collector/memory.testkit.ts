import { createMemory } from '../../app/memory.ts';
import type { Clock, Memory, MemoryRules } from '../../app/ports.ts';
import { createPastSessions } from './pastSessions.ts';
import type { RouteWorld } from './route.ts';

/** The memory as an owner has it, under the default settings or others. */
export function memoryOver(
  { source, store, now }: Pick<RouteWorld, 'source' | 'store' | 'now'>,
  rules: Partial<MemoryRules> = {},
): Memory {
  const clock: Clock = { now, monotonic: now, after: () => ({ dispose: () => undefined }) };
  const past = createPastSessions({ source, store, now });
  const defaults = { sessions: () => 5, tokens: () => 1_000, agentWords: () => true, excludes: () => false };
  const work = (project: string) => store.work.items().filter((item) => item.project === project);
  return createMemory({ past, rules: { ...defaults, ...rules }, clock, work });
}
