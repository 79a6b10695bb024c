/** The command line of `npm start`. */
import { EDITORS } from '../lib/findProgram.mjs';
import { UsageError } from '../lib/usageError.mjs';

export const USAGE = `npm start [-- options]

Builds Agent Mascot and opens it in the first editor on the PATH (${EDITORS.join(', ')}),
else in the browser.

  --browser          in the browser even where an editor is installed
  --folder DIR       the folder to open (default: where the command was called)
  --play [RECORDING] play a recorded agent session into it: a .jsonl file, or a name that --help lists
  --speed N          how many times faster it is played (default 1)
  --port N           port of the browser variant (default: a free one; implies --browser)
  --no-open          print the address, don't open the browser
  --headless         open the address in a headless Chromium as well, with a profile that is thrown away: in it are
                     AGENT_MASCOT_HOME, CLAUDE_CONFIG_DIR and CODEX_HOME too, so your own agents are not in the
                     picture (implies --browser)
  --screenshot FILE  with --headless: picture of the first mascot on screen, then stop
  --help             this text, and the names of the recordings`;

const LINE_MAX = 100;

/**
 * @param {readonly { name: string }[]} known  the last part of a name is enough for --play
 */
export function helpText(known) {
  const lines = [''];
  const names = new Set(known.map((recording) => recording.name.replace(/^.*\//, '')));
  for (const name of [...names].sort()) {
    if ((lines.at(-1) ?? '').length + name.length >= LINE_MAX) lines.push('');
    lines.push(`${lines.pop()} ${name}`);
  }
  return `${USAGE}\n\nRecordings:\n${lines.map((line) => ` ${line}`).join('\n')}`;
}

/**
 * @typedef {object} StartOptions
 * @property {boolean} help
 * @property {boolean} browser
 * @property {string | undefined} folder
 * @property {boolean} play
 * @property {string | undefined} recording
 * @property {number} speed
 * @property {number | undefined} port
 * @property {boolean} open
 * @property {boolean} headless
 * @property {string | undefined} screenshot
 */

/**
 * @param {readonly string[]} args
 * @returns {StartOptions}
 */
export function parseStart(args) {
  /** @type {StartOptions} */
  const options = {
    ...{ help: false, browser: false, folder: undefined, play: false, recording: undefined, speed: 1, port: undefined },
    ...{ open: true, headless: false, screenshot: undefined },
  };
  const rest = args.flatMap((arg) =>
    /^--[^=]+=/.test(arg) ? [arg.slice(0, arg.indexOf('=')), arg.slice(arg.indexOf('=') + 1)] : [arg],
  );
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const value = () => {
      const next = rest[0];
      return next === undefined || next.startsWith('--') ? undefined : rest.shift();
    };
    if (arg === '--help' || arg === '-h') options.help = true;
    else if (arg === '--browser') options.browser = true;
    else if (arg === '--no-open') options.open = false;
    else if (arg === '--headless') options.headless = true;
    else if (arg === '--play') [options.play, options.recording] = [true, value()];
    else if (arg === '--folder') options.folder = required(arg, value());
    else if (arg === '--screenshot') options.screenshot = required(arg, value());
    else if (arg === '--speed') options.speed = number(arg, value(), (n) => n > 0, 'a number above 0');
    else if (arg === '--port')
      options.port = number(arg, value(), (n) => Number.isInteger(n) && n > 0 && n < 65536, 'a port from 1 to 65535');
    else throw new UsageError(`Unknown option: ${arg}`);
  }
  if (options.screenshot !== undefined && !options.headless) throw new UsageError('--screenshot needs --headless');
  // A picture or a port can only be had of the browser variant.
  if (options.headless || options.port !== undefined) options.browser = true;
  return options;
}

/**
 * @param {string} flag
 * @param {string | undefined} value
 */
function required(flag, value) {
  if (value === undefined || value === '') throw new UsageError(`${flag} needs a value`);
  return value;
}

/**
 * @param {string} flag
 * @param {string | undefined} value
 * @param {(n: number) => boolean} fits
 * @param {string} what
 */
function number(flag, value, fits, what) {
  const n = Number(required(flag, value));
  if (!fits(n)) throw new UsageError(`${flag} needs ${what}, not ${value}`);
  return n;
}
