import { looksRandom } from './entropy.ts';
import { judge } from './judge.ts';
import type { NameClass } from './names.ts';
import { nounAt, wideNounsAt } from './nouns.ts';
import type { Noun } from './nouns.ts';
import type { Reading } from './reading.ts';
import type { Span } from './span.ts';
import { looksLikePhrase, looksLikeSecret, looksSaid, phraseAt, valueLetters, wordOf } from './spoken.ts';
import { tokenKind } from './tokens.ts';
import type { Value } from './values.ts';

/*
 * A noun such as `password`, in any language, makes the rest of its clause suspicious. The clause is read word by word up to the first one
 * that could be a secret. How much such a word must look like a secret depends on what ties it to the noun: behind a sign or a verb
 * (`password is …`) nearly everything counts, behind other words (`the password of the server …`) only what can be nothing else.
 */

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

const verbs = words(
  "is are was were being becomes became reads equals remains stays it's its that's it’s that’s " +
    'ist war wäre sei lautet lautete heißt heisst hiess hieß bleibt wird es era fue sería seria será sera queda quedó quedaría sigue ' +
    "est était serait devient reste c'est c’est cest s'appelle é è foi ficou fica continua ser это будет был стал остался осталась остаётся останется стоит такой такая такое " +
    'je jest är là adalah це ' +
    'enter type use try gib nimm ingresa usa usá pon saisis tape utilise mets digite введи используй',
);
/** Between a verb or a noun and the value; also what begins a sentence that goes on about the noun. */
const fillers = words(
  'now then just simply currently still actually again always probably btw the new one like following exactly ' +
    'dann also nämlich halt eben eigentlich übrigens jetzt nun einfach momentan aktuell derzeit immer noch weiterhin mal bitte gerade wieder ab sofort das neue ' +
    'ahora actualmente simplemente todavía siempre nueva nuevo la el una tal maintenant désormais toujours actuellement simplement ' +
    'juste donc bien le agora atualmente simplesmente ainda sempre apenas nova novo a o сейчас теперь просто пока уже вот новый',
);
/** Behind a verb: `is, I think, …`. */
const musings = words('i think believe guess glaube ich meine creo que je crois acho кажется вроде я думаю');
/** What a value is changed to. */
const goals = words('to into auf in zu a al por en à par pour para на');
/** After a noun that code uses, too, these begin what the noun is of; any other word makes it a part of a name: `password policy`. */
const complements = words(
  'for of to on in at from by generated created changed reset provided given used below that which you we i they he she has have had got will would should must can could might ' +
    'vom von für fürs zum zur zu de del da do dos das du des d para pour sur en no na que me nos dem der im am vor',
);

const changes =
  /(?<![A-Za-zÀ-ɏЀ-ӿ])(?:re)?(?:set|chang|updat|rotat|switch|geändert|änder|gesetzt|setz|stell|gestellt|zurückgesetzt|cambi|actualiz|puse|pusiste|restable|resete|modific|réinitialis|remplac|modifi|passé|mis|mud|alter|troq|redefin|atualiz|defin|помен|смен|измен|обнов|сброс|постав|зада|установ|перестав|замен)/i;

const restOfLine = /^["'`*]{0,3}[ \t]*(?:[\r\n]|\\n|$)/;

/** Of a script without capitals, so of none in which programs are written. */
function isCaseless(text: string, { start }: Noun): boolean {
  return text.charCodeAt(start) > 0x1fff;
}

type Tie = 'sign' | 'verb' | 'goal' | 'beside' | 'near';

/** A word of the clause that is no plain word, or one that stands where only a value can. */
interface Candidate {
  readonly value: Value;
  readonly tie: Tie;
  /** Words between the noun and the value. */
  readonly distance: number;
}

const longestClause = 160;
const mostWords = 14;
const blanks = /[ \t\u00a0\u202f\u3000]+/y;
const closingMarks = /["'`*_)\]»”’」』】]{1,4}/y;
const signs = /(?::=|[:=：＝](?![:=/])|→|[-=]>|(?<=[ \t])[-–—](?=[ \t\n]))/y;
const commas = /[,，、]/y;
const sentenceEnds = /[.!?;…。！？]{1,3}(?=\s|$)/y;
const aside = /\([^()\n]{1,40}\)/y;
/** Particles and words of scripts that are not written with the letters of values. */
const foreign = new RegExp(`[^${valueLetters}\\s“”„‚‘’«»‹›「」『』。！？：＝，、…–—→]{1,40}`, 'y');
const plain = /^\p{L}+(?:[-'’]\p{L}+)*$/u;
const possessive = /['’]s(?=[ \t])/y;

function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** Reads the clause behind a noun. */
class Clause {
  readonly #text: string;
  readonly #noun: Noun;
  #at: number;
  #tie: Tie = 'beside';
  #distance = 0;
  /** A sentence ended; only what goes on about the noun may follow: `My password? It's …`. */
  #ended = false;

  constructor(text: string, noun: Noun) {
    this.#text = text;
    this.#noun = noun;
    const contracted = lengthAt(possessive, text, noun.end);
    if (contracted > 0) this.#tie = 'verb';
    this.#at = noun.end + (contracted > 0 ? contracted : lengthAt(closingMarks, text, noun.end));
  }

  /** The next candidate, or undefined at the clause's end. */
  next(): Candidate | undefined {
    const limit = Math.min(this.#text.length, this.#noun.end + longestClause);
    while (this.#at < limit && this.#distance < mostWords) {
      if (this.#skipMarks()) continue;
      const value = this.#valueHere();
      if (value === undefined) return undefined;
      this.#at = value.end + (value.quote === '' ? 0 : 1);
      if (value.quote === '' && plain.test(value.text) && !this.#isCandidate(value)) {
        if (!this.#readWord(value.text.toLowerCase(), value.start)) return undefined;
        continue;
      }
      const candidate = { value, tie: this.#tie, distance: this.#distance };
      this.#distance += 1;
      this.#tie = 'near';
      return this.#ended && candidate.tie !== 'verb' ? undefined : candidate;
    }
    return undefined;
  }

  #valueHere(): Value | undefined {
    const isLineEnd = /[\r\n]/.test(this.#text.charAt(this.#at));
    if (isLineEnd && this.#tie !== 'sign') return undefined;
    const phrase = this.#noun.kind === 'phrase' && this.#tie !== 'near' ? phraseAt(this.#text, this.#at) : undefined;
    return phrase ?? wordOf(this.#text, this.#at);
  }

  #isCandidate({ text, end }: Value): boolean {
    if (this.#tie === 'sign' && isCaseless(this.#text, this.#noun))
      return restOfLine.test(this.#text.slice(end, end + 40));
    return text.includes(' ') || ((this.#tie === 'verb' || this.#tie === 'sign') && looksSaid(text, true));
  }

  /** Whether the clause can go on behind the plain word. */
  #readWord(word: string, start: number): boolean {
    if (
      verbs.has(word) ||
      (word === 'be' && /(?:would|will|could|might|to) $/i.test(this.#text.slice(start - 6, start)))
    )
      this.#tie = 'verb';
    else if (goals.has(word)) this.#tie = this.#tie === 'verb' ? 'near' : 'goal';
    else if (!fillers.has(word) && !(this.#tie === 'verb' && musings.has(word))) {
      if (this.#ended || (!this.#noun.wide && this.#distance === 0 && !complements.has(word))) return false;
      this.#tie = 'near';
    }
    this.#distance += 1;
    return true;
  }

  #skipMarks(): boolean {
    const text = this.#text;
    const from = this.#at;
    this.#at += lengthAt(blanks, text, this.#at);
    const sign = lengthAt(signs, text, this.#at);
    if (sign > 0) this.#tie = this.#ended ? 'near' : 'sign';
    const comma = sign === 0 ? lengthAt(commas, text, this.#at) : 0;
    if (comma > 0) this.#tie = 'near';
    const end = sign + comma === 0 ? lengthAt(sentenceEnds, text, this.#at) : 0;
    if (end > 0) [this.#tie, this.#ended] = ['near', true];
    const script = sign + comma + end === 0 ? lengthAt(foreign, text, this.#at) : 0;
    if (script > 0) [this.#tie, this.#distance] = ['verb', this.#distance + 1];
    const skipped = sign + comma + end + script;
    this.#at += skipped > 0 ? skipped : this.#skipAside();
    return this.#at > from;
  }

  /** `password (for staging)`, unless the value itself stands in the brackets. */
  #skipAside(): number {
    const length = lengthAt(aside, this.#text, this.#at);
    if (length === 0) return 0;
    const inside = wordOf(this.#text, this.#at);
    return inside !== undefined && looksSaid(inside.text, true) ? 0 : length;
  }
}

function isSentence(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 160), start);
  const after = text.slice(end, end + 160);
  const line = before.slice(before.lastIndexOf('\n') + 1) + ' ' + (/^[^\n]*/.exec(after)?.[0] ?? '');
  return !/[{}[\];<>=$]|\w\(|\/\//.test(line);
}

function spanOf(text: string, value: Value, nameClass: NameClass): Span {
  const kind = nameClass === 'password' ? 'password' : 'secret';
  return { start: value.start, end: value.end, kind: tokenKind(text, value.start, value.end) ?? kind };
}

export function secretSpan(text: string, value: Value, nameClass: NameClass, shortest?: number): Span | undefined {
  return looksLikeSecret(value.text, nameClass, shortest) ? spanOf(text, value, nameClass) : undefined;
}

const isHashBefore = /(?:commit|sha\d*|hash|digest|checksum|revision|id|uuid)["':= ]{1,3}$/i;

function isToken(text: string, { value, tie }: Candidate, { wide }: Noun): boolean {
  const { text: given, start } = value;
  if (tie === 'sign' || tie === 'verb') return looksLikeSecret(given, 'token', 6);
  if (tie === 'beside') {
    const isLong = given.length >= 20 && /\d\D+\d/.test(given);
    return (wide || isLong) && looksLikeSecret(given, 'token', wide ? 6 : 8);
  }
  return given.length >= 16 && looksRandom(given) && !isHashBefore.test(text.slice(Math.max(0, start - 16), start));
}

/** `user kim, pass …`, `with the pass …`: behind these `pass` is a noun. */
const passIsNoun =
  /(?:[,;/|&] ?(?:and |y |und |et |e |и )?|(?<![a-z])(?:the|my|our|your|with|la|le|el|mi|su|o|das|dein|mein|ma|mon|root|admin|sudo|user|wi-?fi|db) )$/i;
const handsOver =
  /(?:^|[,;:/(&] ?|(?<![a-z])(?:with|using|use|try|the|my|our|your|enter|by|and|or|con|mit|la|le|el|com|avec|a|o) )$/i;

/** `password S3cret!99`: without a sign or a verb between, the value must not be a word of any language. */
function isBeside(text: string, { text: value, quote }: Value, { kind, start }: Noun): boolean {
  const before = text.slice(Math.max(0, start - 12), start);
  const isNoun = kind === 'pass' ? passIsNoun.test(before) : handsOver.test(before);
  if (isNoun && looksSaid(value, quote !== '') && !/^[A-Z]\w*$/.test(value.replace(/\d/g, ''))) return true;
  if (isNoun && looksSaid(value, quote !== '') && /[-_.]\d|\d[A-Za-z]/.test(value)) return true;
  if (kind === 'password' && /^\w+[!#$%^&*]\w+$/.test(value)) return looksSaid(value, true);
  if (!/[A-Za-z]/.test(value) || !/\d/.test(value) || /^--|[\\/.=,:]/.test(value)) return false;
  const isChosen = kind === 'pass' ? /[!#$%^&*@]/.test(value) : !/^[A-Z]\w*$/.test(value) || looksRandom(value);
  return isChosen && looksLikeSecret(value, 'password', 8);
}

function isPassword(text: string, candidate: Candidate, noun: Noun): boolean {
  const { value, tie, distance } = candidate;
  if (/\s/.test(value.text)) return tie !== 'near' && looksLikePhrase(value.text);
  switch (tie) {
    case 'sign':
    case 'verb':
      return looksSaid(value.text, true);
    case 'goal':
      if (changes.test(text.slice(Math.max(0, noun.start - 60), value.end + 40))) return looksSaid(value.text, true);
      return noun.wide && looksLikeSecret(value.text, 'password');
    case 'beside':
      if (noun.wide || distance > 0) return looksSaid(value.text, noun.wide);
      return isBeside(text, value, noun);
    case 'near':
      return noun.wide && looksLikeSecret(value.text, 'password');
  }
}

function isPin(text: string, { value, tie }: Candidate, { start }: Noun): boolean {
  return /^\d{4,8}$/.test(value.text) && (tie === 'sign' || tie === 'verb') && isSentence(text, start, value.end);
}

/** An assignment and a literal are judged by their name where the sign is reached. */
function isAssignment(text: string, { wide, end }: Noun): boolean {
  return !wide && /^(?:=(?=\S)|[:=]\s?["'`])/.test(text.slice(end, end + 3));
}

function isSecret(text: string, noun: Noun, candidate: Candidate): boolean {
  if (noun.kind === 'pin') return isPin(text, candidate, noun);
  const { value, tie } = candidate;
  if (!noun.wide && tie !== 'verb' && !isSentence(text, noun.start, value.end)) return false;
  return noun.kind === 'token' ? isToken(text, candidate, noun) : isPassword(text, candidate, noun);
}

/** A line that holds nothing but a noun of a script without case and a value is as good as a file of settings. */
function isLineOfSettings(text: string, noun: Noun, { value, tie }: Candidate): boolean {
  if (tie !== 'sign' || !isCaseless(text, noun)) return false;
  const nameClass = noun.kind === 'token' ? 'token' : 'password';
  return restOfLine.test(text.slice(value.end, value.end + 40)) && judge(nameClass, value.text, 'line') !== undefined;
}

/** The value that a noun introduces. */
function introduced(text: string, noun: Noun): Span | undefined {
  if (noun.kind === 'login') return pairAfter(text, noun.end);
  if (isAssignment(text, noun)) return undefined;
  const clause = new Clause(text, noun);
  for (let candidate = clause.next(); candidate !== undefined; candidate = clause.next()) {
    if (/«masked:|^[A-Za-z_][\w.]*=/.test(candidate.value.text)) return undefined;
    if (isSecret(text, noun, candidate) || isLineOfSettings(text, noun, candidate))
      return spanOf(text, candidate.value, noun.kind === 'token' ? 'token' : 'password');
  }
  return undefined;
}

/** A user, and what parts it from the password. */
const pair =
  /(?<![\w.+@/-])([\w.+@-]{1,64})["'`»”]?(?:[ \t]?(?:[/|,][ \t]?|:)|[ \t](?<word>and|und|y|et|e|и|with|mit|con|com|avec|с|plus)[ \t]|[ \t]?(?<particle>と|랑|이랑|와|과|하고|和|跟)[ \t]?)(?=[!-~“„«「『])/g;

/** Up to what only code has. */
const sentenceHead = /^[^\r\n(){}[\]<>=;]*/;

/** `login is kim / …`, `creds: admin:…`: the word after a user's name. */
function pairAfter(text: string, from: number): Span | undefined {
  const clause = sentenceHead.exec(text.slice(from, from + 120))?.[0] ?? '';
  for (const found of clause.matchAll(pair)) {
    const at = from + found.index + found[0].length;
    const value = wordOf(text, at);
    if (value === undefined || text.startsWith('//', at - 1) || /^[a-z\d-]+\.[a-z]+$|[/\\]/.test(value.text)) continue;
    if (/[.!?;][ \t]/.test(clause.slice(0, found.index))) return undefined;
    const isWord = found.groups?.['word'] !== undefined;
    if (!looksSaid(value.text, !isWord) || !isSentence(text, from, value.end)) continue;
    return spanOf(text, value, 'password');
  }
  return undefined;
}

const valueThen = String.raw`(?:^|[\s"'${'`'}(«„“「『:])(?<value>[${valueLetters}]{6,64}?)["'${'`'}»“”」』]?`;
const isThe =
  /[ \t]+(?:as|als|como|comme|is|ist|es|est|é|как|это|в качестве|—|–|-|(?<=["'`»“”][ \t])for)[ \t]+(?:\p{L}{1,12}[ \t]+){0,3}/u;
/** `use … for the password`, where only what has marks or capitals is no name of something else. */
const isFor = /[ \t]+(?:for|in|into|as|für|para|pour|в|для)[ \t]+(?:\p{L}{1,12}[ \t]+){0,3}/u;
const isIn = /[ \t]?(?:[をがは]|[을를이가은는])[ \t]?(?:[^\s!-~]{1,10}[ \t]?){0,2}/u;
const valueThenNoun = new RegExp(`${valueThen}(?:${isThe.source}|(?<weak>${isFor.source})|${isIn.source})$`, 'u');
const handed = /(?:use|put|type|enter|try|set|nimm|usa|pon|mets|utilise|coloca|используй|поставь) $/i;

/** `use … as the password`, `… を パスワードとして`: the value stands before the noun. */
function valueBefore(text: string, { start }: Noun): Span | undefined {
  const from = Math.max(0, start - 100);
  const found = valueThenNoun.exec(text.slice(from, start));
  const value = found?.groups?.['value'];
  if (found === null || value === undefined || !looksSaid(value, false)) return undefined;
  const at = from + found.index + found[0].indexOf(value);
  const isWeak = found.groups?.['weak'] !== undefined;
  if (isWeak && !(/[A-Z\W_]/.test(value) && handed.test(text.slice(Math.max(0, at - 12), at)))) return undefined;
  return { start: at, end: at + value.length, kind: tokenKind(text, at, at + value.length) ?? 'password' };
}

function secretOf(text: string, noun: Noun): Span | undefined {
  const span = introduced(text, noun);
  const isPasswordNoun = noun.kind === 'password' || noun.kind === 'phrase' || (noun.kind === 'pass' && noun.wide);
  return span ?? (isPasswordNoun ? valueBefore(text, noun) : undefined);
}

/** The secret that the noun at `[start, end)` introduces. */
export function nounSecret({ text }: Reading, start: number, end: number): Span | undefined {
  const noun = nounAt(text, start, end);
  return noun === undefined ? undefined : secretOf(text, noun);
}

/** The secret of a noun with non-ASCII letters; `at` is the letter by which the noun is looked up. */
export function wideNounSecret({ text }: Reading, at: number): Span | undefined {
  for (const noun of wideNounsAt(text, at)) {
    const span = secretOf(text, noun);
    if (span !== undefined) return span;
  }
  return undefined;
}
