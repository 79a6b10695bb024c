/**
 * A signal that is aborted by Ctrl-C (or a polite kill), so that every child can be ended in order.
 * A second Ctrl-C leaves at once.
 */
export function interruptSignal() {
  const controller = new AbortController();
  /** @param {NodeJS.Signals} name */
  const interrupt = (name) => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort(new Error(`stopped by ${name}`));
  };
  for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(name, interrupt);
  return controller.signal;
}
