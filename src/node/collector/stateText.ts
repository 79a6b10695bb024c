import type { StateSource } from '../../app/ports.ts';
import type { Snapshot } from '../../protocol/state.ts';

export interface StateText {
  readonly revision: number;
  readonly json: Buffer;
}

/** The whole state as JSON, made once for a revision however many ask: a state may have megabytes. */
export function createStateText(source: Pick<StateSource, 'snapshot'>): () => StateText {
  let of: Snapshot | undefined;
  let text: StateText | undefined;
  return () => {
    const state = source.snapshot();
    if (!text || state !== of) text = { revision: state.revision, json: Buffer.from(JSON.stringify(state)) };
    of = state;
    return text;
  };
}
