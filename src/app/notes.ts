import type { Notes, SayNote } from './outletPorts.ts';

/** Between whoever takes notes in and the outlet that says them, which comes later and goes sooner. */
export function createNotes(): Notes {
  let saying: SayNote | undefined;
  return {
    say: (sessionId, text) => saying?.(sessionId, text) ?? Promise.resolve(false),
    isTaken: () => saying !== undefined,
    take(say) {
      saying = say;
      return {
        dispose() {
          if (saying === say) saying = undefined;
        },
      };
    },
  };
}
