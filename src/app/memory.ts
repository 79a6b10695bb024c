import { contextText } from '../domain/contextText.ts';
import type { WorkItem } from '../protocol/work.ts';
import type { Clock, Memory, MemoryRules, PastSessions, RecallRequest, Recalled } from './ports.ts';

export interface MemoryParts {
  readonly past: PastSessions;
  readonly rules: MemoryRules;
  readonly clock: Clock;
  /** GRD-1: the work items of a project. */
  readonly work: (project: string) => readonly WorkItem[];
}

/** MEM-3: what is told of earlier sessions, to an agent that starts and to whoever asks for the same text. */
export function createMemory({ past, rules, clock, work }: MemoryParts): Memory {
  function isOff({ project, cwd }: RecallRequest): boolean {
    return rules.sessions() <= 0 || [project, cwd].some((folder) => folder !== undefined && rules.excludes(folder));
  }

  return {
    async recall(request): Promise<Recalled | undefined> {
      if (isOff(request)) return undefined;
      const { project, limit = rules.sessions(), except, signal } = request;
      const sessions = await past.last({
        project,
        limit,
        except,
        signal,
        excludes: (folder) => rules.excludes(folder),
      });
      const common = {
        sessions,
        now: clock.now(),
        allProjects: project === undefined,
        work: project === undefined ? [] : work(project),
        agentWords: rules.agentWords(),
      };
      return {
        tokens: rules.tokens(),
        textWithin: (tokens, own) => contextText({ ...common, tokens, own }),
      };
    },
  };
}
