import type { Collector, Machine, Windows } from '../app/windowPorts.ts';

const nothing = { dispose: () => undefined };

/** A window that knows no other one and whose collector does not answer. */
export const unwired: { readonly collector: Collector; readonly windows: Windows; readonly machine: Machine } = {
  collector: {
    story: () => Promise.resolve(undefined),
    conversation: () => Promise.resolve(undefined),
    changeLook: () => Promise.resolve('silent'),
  },
  windows: {
    id: 'alone',
    tell: () => undefined,
    all: () => Promise.resolve([]),
    ask: () => Promise.resolve(false),
    onAsked: () => nothing,
    claim: () => Promise.resolve(true),
    dispose: () => undefined,
  },
  machine: {
    ancestry: { of: () => Promise.resolve([]) },
    realFolder: (folder) => Promise.resolve(folder),
    host: '',
    pidNamespace: undefined,
    folders: 'linux',
  },
};
