import type { Disposable, StateSource } from '../../app/ports.ts';

/** CNV-4: calls whenever something was erased, by this window or another, also of sessions that the state does not hold. */
export function onErased(source: StateSource, erased: () => void): Disposable {
  let known = markOf(source);
  return source.onChange((change) => {
    if (change.type !== 'reset') return;
    const now = markOf(source);
    // While nobody owns, the last count still stands.
    if (now === undefined || now === known) return;
    known = now;
    erased();
  });
}

/** Undefined: nothing was. Each owner counts anew. */
function markOf(source: StateSource): string | undefined {
  const { owner, erasures = 0 } = source.snapshot();
  return erasures === 0 ? undefined : `${owner?.instance ?? ''}/${erasures}`;
}
