/** The last version that drops a whole settings file for one event name that it does not know. */
const LAST_STRICT = [2, 1, 100] as const;

/** HKI-7: newer event names are only written when every Claude Code that is installed is known to pass over unknown ones. */
export function takesNewEvents(versions: readonly (string | undefined)[]): boolean {
  return versions.length > 0 && versions.every((version) => version !== undefined && isLater(version));
}

function isLater(version: string): boolean {
  // `--version` adds the product's name. A pre-release (`-…`) of a later version is later too.
  const parts = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?=$|[-+\s])/.exec(version.trim());
  if (!parts) return false;
  for (const [index, limit] of LAST_STRICT.entries()) {
    const number = Number(parts[index + 1]);
    if (number !== limit) return number > limit;
  }
  return false;
}
