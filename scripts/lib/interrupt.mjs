/** A terminal sends Ctrl-C to npm and to us, and npm passes it on: the echo of one key press is not a second one. */
const ECHO_MS = 500;

/**
 * A signal that is aborted by Ctrl-C (or a polite kill), so that every child can be ended in order.
 * A second Ctrl-C leaves at once.
 */
export function interruptSignal() {
  const controller = new AbortController();
  let first = 0;
  /** @param {NodeJS.Signals} name */
  const interrupt = (name) => {
    if (controller.signal.aborted && performance.now() - first > ECHO_MS) process.exit(130);
    first ||= performance.now();
    controller.abort(new Error(`stopped by ${name}`));
  };
  for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(name, interrupt);
  return controller.signal;
}
