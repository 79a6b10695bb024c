/** What a recording asks its agents, in words for somebody who sees a session for the first time. */

/** The prompts of the recordings name the script that a stand-in model then follows. */
const MARKER = /(?:\[\[s:([\w-]+)\]\]|SCN:([\w-]+))\s*/g;
/** What is left without the marker is often a mere "go". */
const PROMPT_MIN_CHARACTERS = 12;
const DEFAULT_PROMPT = 'Look around the project and tidy up';

/** @type {ReadonlyMap<string, string>} */
const PROMPTS = new Map([
  ['spawn', 'Let a helper list the files'],
  ['ctask', 'Let a helper look through the project'],
  ['shell', 'Run the tests'],
  ['patch', 'Mend the typo in the notes'],
  ['hello', 'Say what this project does'],
  ['subperm', 'Share the clean-up between two sub-agents'],
  ['sub_perm', 'Add the file that the tests miss'],
  ['sub_perm2', 'Add the file that the docs miss'],
  ['subs', 'Let two sub-agents look through the project'],
  ['sub_bash', 'Run the checks and report what fails'],
  ['sub_read', 'Read the sources and sum them up'],
  ['slowsub', 'Let a sub-agent follow the log'],
  ['sub_slow', 'Wait for the long job and report'],
  ['sub_verslow', 'Follow the log until it is quiet'],
  ['bgsub', 'Let a sub-agent work in the background'],
  ['sub_nest', 'Split the job and hand a part on'],
  ['team', 'Work through the list as a team'],
  ['perm', 'Make the folder for the new feature'],
  ['permw', 'Write the notes for the release'],
  ['ask', 'Choose a colour for the new button'],
  ['plan', 'Plan the next steps, then stop'],
  ['files', 'Find the file with the mistake and mend it'],
  ['slowbash', 'Run the long test suite'],
  ['bgbash', 'Run the build in the background'],
  ['slowlines', 'Explain how the parts work together'],
  ['todo', 'Make a list of what is left to do'],
  ['tasks', 'Make a list of what is left to do'],
]);

/**
 * The same value without the markers; a prompt of which too little is left becomes a sentence.
 * @template T
 * @param {T} value
 * @returns {T}
 */
export function friendly(value) {
  return /** @type {T} */ (reworded(value, ''));
}

/**
 * @param {unknown} value
 * @param {string} key  under which it was found
 * @returns {unknown}
 */
function reworded(value, key) {
  if (Array.isArray(value)) return value.map((entry) => reworded(entry, key));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, reworded(entry, name)]));
  if (typeof value !== 'string') return value;
  const [found] = value.matchAll(MARKER);
  const script = found?.[1] ?? found?.[2];
  if (script === undefined) return value;
  const left = value.replace(MARKER, '').trim();
  if ((key !== 'prompt' && key !== 'initialPrompt') || left.length >= PROMPT_MIN_CHARACTERS) return left;
  return PROMPTS.get(script) ?? DEFAULT_PROMPT;
}
