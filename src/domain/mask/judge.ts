import { looksChosen, looksRandom } from './entropy.ts';
import type { NameClass } from './names.ts';
import { isLabel, isPlaceholder } from './placeholders.ts';
import { isNumberedPhrase, looksLikePhrase, looksSaid } from './spoken.ts';

/**
 * How sure the surroundings are that a value is a literal and not code: `env` is a whole line of a file of variables,
 * `variable` an environment variable's, `literal` is in quotes, `line` fills its line, `pair` is one of several (`a=b;`, `a=b&`), `argument` is a literal after another one,
 * as in a call or in any list of words, `bare` could be anything.
 */
export type Setting = 'env' | 'literal' | 'argument' | 'variable' | 'line' | 'pair' | 'bare';

const call = /^[A-Za-z_$@][\w$.]*(?:::\w+)*[([{<]/;
const identifier = /^[A-Za-z_$][\w$]*(?:[.?!:]+[A-Za-z_$][\w$]*)*$/;
const address = /^[a-z][a-z0-9+.-]*:\/\//i;
const path = /^(?:\.{0,2}|~|[A-Za-z]:)[\\/](?:[\w.@-]+[\\/])*[\w.@-]*$/;
const sentence = /\s/;
const hexNumber = /^0x[0-9a-f]+$/i;
const codeMarks = /[(){}[\]]|=>|&&|\|\||::|\\u00/;

/** The dot of a member, the sign of a variable, or a number that a bundler added. */
const nameMarks = /[.?]|^\$|\$\d*$/;

/** A name rather than a value: `NodeJS.ArrayBufferView`, `options?.token`, `OpeningParenToken$1`. */
function isMember(value: string): boolean {
  return (
    identifier.test(value) &&
    (nameMarks.test(value) || (/pass|secret|token|key|cred|auth/i.test(value) && !/\d.*\d.*\d/.test(value)))
  );
}

function isPassword(value: string, setting: Setting): boolean {
  if (setting === 'env') return value.length >= 3 && !call.test(value) && !path.test(value);
  if (value.length < 3 || value.length > longestPassword || isLabel(value) || path.test(value)) return false;
  if (setting === 'variable') return !call.test(value);
  if (setting === 'literal') return value.length >= 4 && (!sentence.test(value) || isNumberedPhrase(value));
  if (setting === 'argument') return looksChosen(value);
  if (call.test(value) || codeMarks.test(value) || hexNumber.test(value)) return false;
  // A name that contains a number, with nothing after it, is more likely a password than a variable.
  if (isMember(value) && (setting === 'bare' || nameMarks.test(value) || !/\d/.test(value))) return false;
  if (setting === 'line')
    return value.length >= 4 && !/[;,]$/.test(value) && (!/^[A-Z][A-Za-z]*$/.test(value) || looksRandom(value));
  if (setting === 'pair') return value.length >= 4;
  if (identifier.test(value)) return looksRandom(value);
  return (
    value.length >= 6 &&
    /[A-Za-z]/.test(value) &&
    /\d/.test(value) &&
    !/^[\w$]+\.[\w$.]+$/.test(value) &&
    !/[+*/<>|,;=]/.test(value)
  );
}

function isPassphrase(value: string): boolean {
  const isLower = value === value.toLowerCase() && !/[.,:!?]/.test(value);
  return looksLikePhrase(value) || (value.length >= 12 && /^\S+(?: \S+){3,}$/.test(value) && isLower);
}

function isSecret(value: string, setting: Setting): boolean {
  if (setting === 'env')
    return value.length >= 6 && !call.test(value) && !path.test(value) && !/^\d{1,15}$|\s/.test(value);
  if (isLabel(value) || path.test(value) || value.length > 4096) return false;
  if (setting === 'literal') return looksChosen(value) || (value.length >= 20 && looksRandom(value));
  if (setting === 'variable') return !call.test(value) && (looksChosen(value) || /^[A-Za-z]{20,}$/.test(value));
  if (call.test(value) || isMember(value)) return false;
  return setting === 'bare' || setting === 'argument'
    ? looksRandom(value)
    : looksChosen(value) && !codeMarks.test(value);
}

const longestPassword = 256;

/** Told before anything is matched against a value that is too long. */
function longestBy(nameClass: NameClass, setting: Setting): number {
  return (nameClass === 'password' || nameClass === 'pass') && setting !== 'env' ? longestPassword : 4096;
}

/** The kind under which a value must be masked that stands after a name of the class; nothing when it is no secret. */
export function judge(nameClass: NameClass, value: string, setting: Setting): string | undefined {
  if (value.length > longestBy(nameClass, setting) || address.test(value) || isPlaceholder(value)) return undefined;
  switch (nameClass) {
    case 'password':
      return isPassword(value, setting) ? 'password' : undefined;
    case 'phrase':
      return isPassword(value, setting) || (setting === 'literal' && isPassphrase(value)) ? 'password' : undefined;
    case 'pass': {
      const sure =
        setting === 'env' ||
        setting === 'variable' ||
        (/^[!-~]+$/.test(value) && /[A-Za-z]/.test(value) && /[\d!@#%^&*]/.test(value));
      return sure && isPassword(value, setting) ? 'password' : undefined;
    }
    case 'secret': {
      const spoken =
        (setting === 'literal' || setting === 'variable') && /^[\w.!@#$%^&*+-]{8,}$/.test(value) && !isLabel(value);
      const chosen = spoken && (setting === 'variable' || /[\d!@#$%^&*+]/.test(value)) && !identifierPath.test(value);
      return chosen || isSecret(value, setting) ? 'secret' : undefined;
    }
    case 'token': {
      const chosen = setting === 'literal' && /\d\d/.test(value) && looksSaid(value, true, 12);
      return chosen || isSecret(value, setting) ? 'secret' : undefined;
    }
    case 'weak':
      if (framework.test(value)) return 'secret';
      return looksRandom(value) &&
        (setting === 'env' || setting === 'variable' ? value.length >= 16 : mixesCase.test(value))
        ? 'secret'
        : undefined;
    case 'authorization':
    case 'cookie':
      return looksRandom(value) ? 'secret' : undefined;
  }
}

/** Long, with digits, small letters and capitals, so neither a hash nor an index. */
export const mixesCase = /^(?=.{28,200}$)(?=.*\d.*\d)(?=.*[a-z].*[a-z])(?=.*[A-Z].*[A-Z])[A-Za-z0-9_+/=]+$/;
/** As Laravel writes its key. */
const framework = /^base64:[A-Za-z0-9+/]{43}=$/;
const identifierPath = /^[A-Za-z]+(?:[-_.][A-Za-z]+)*[-_.]?\d?$/;
