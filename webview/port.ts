import type { HostMessage, PanelMessage } from '../src/protocol/view.ts';

interface VsCodeApi {
  postMessage(message: PanelMessage): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** The one wire between the panel and the extension. */
export interface Port {
  post(message: PanelMessage): void;
  onMessage(listener: (message: HostMessage) => void): void;
  /** What was kept by an earlier page of the same panel: hiding it ends its page. */
  kept(): unknown;
  keep(state: unknown): void;
}

/** May be called once per page: the editor hands out its API a single time. */
export function openPort(): Port {
  const api = acquireVsCodeApi();
  return {
    post: (message) => api.postMessage(message),
    kept: () => api.getState(),
    keep: (state) => api.setState(state),
    onMessage(listener) {
      window.addEventListener('message', (event: MessageEvent<unknown>) => {
        if (isHostMessage(event.data)) listener(event.data);
      });
    },
  };
}

const known: Readonly<Record<HostMessage['type'], true>> = {
  config: true,
  snapshot: true,
  patch: true,
  elsewhere: true,
  story: true,
  select: true,
  chime: true,
};

/** The host is our own and typed; only what other code may post into the page (browser extensions do) is kept out. */
function isHostMessage(value: unknown): value is HostMessage {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  return Object.hasOwn(known, String(value.type));
}
