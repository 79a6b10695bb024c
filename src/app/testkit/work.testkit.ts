import type { TrackingRule } from '../../protocol/work.ts';
import { createGuard } from '../guard.ts';
import type { Hub } from '../hub.ts';
import type { Clock, EventStore, Log, Pipeline, Projects } from '../ports.ts';
import { createWorkItems } from '../workItems.ts';

export const MASCOT = '/home/dev/.agent-mascot/bin/mascot';

interface Parts {
  readonly store: EventStore;
  readonly hub: Hub;
  readonly pipeline: Pipeline;
  readonly projects: Projects;
  readonly clock: Clock;
  readonly log: Log;
}

/** What an owner has of tracked work, under a rule that the test may change. */
export function workUnderTest(parts: Parts, rule: TrackingRule = { mode: 'off', autoCreate: false }) {
  let present = rule;
  const tracking = { of: () => present };
  return {
    work: createWorkItems(parts),
    guard: createGuard({ ...parts, rules: tracking, agentWords: () => true, mascot: MASCOT }),
    tracking,
    setRule: (next: TrackingRule) => void (present = next),
  };
}

export const noWork = {
  work: {
    list: () => [],
    one: unused,
    create: unused,
    start: unused,
    end: unused,
    saw: unused,
    log: () => Promise.resolve(undefined),
    sessionOf: () => undefined,
    projectOf: ({ project }: { readonly project?: string | undefined }) => Promise.resolve(project),
  },
  guard: { gaps: () => 0 },
  tracking: { of: () => ({ mode: 'off', autoCreate: false }) as const, dispose: () => undefined },
};

function unused(): Promise<never> {
  return Promise.reject(new Error('unused'));
}
