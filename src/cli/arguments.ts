import { wrongUsage } from './failure.ts';
import { printable } from './text.ts';

export interface Option {
  /** What its value is called in the help; without it the option takes none. */
  readonly takes?: string;
  /** May be given more than once. */
  readonly repeats?: boolean;
  readonly words: string;
}

export type Options = Readonly<Record<string, Option>>;

/** The words beside options. */
export interface WordRule {
  readonly name: string;
  readonly atLeast: number;
  readonly atMost: number;
}

export interface Arguments {
  readonly words: readonly string[];
  has(option: string): boolean;
  value(option: string): string | undefined;
  values(option: string): readonly string[];
}

/** `--name`, `--name value`, `--name=value`; what follows `--` is words. */
export function readArguments(args: readonly string[], options: Options, rule: WordRule, command: string): Arguments {
  const given = new Map<string, string[]>();
  const words: string[] = [];
  const rest = [...args];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === '--') words.push(...rest.splice(0));
    else if (argument.startsWith('-') && argument !== '-') takeOption(argument, rest);
    else words.push(argument);
  }
  const extra = words[rule.atMost];
  if (extra !== undefined) throw wrongUsage(`"${printable(extra)}" is not understood here`, command);
  if (words.length < rule.atLeast) throw wrongUsage(`${rule.name} is missing`, command);
  return {
    words,
    has: (option) => given.has(option),
    value: (option) => given.get(option)?.at(-1),
    values: (option) => given.get(option) ?? [],
  };

  function takeOption(argument: string, following: string[]): void {
    const [, name = '', inline] = /^--([^=]*)(?:=(.*))?$/s.exec(argument) ?? [];
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option || (inline !== undefined && option.takes === undefined)) {
      throw wrongUsage(`"${printable(argument)}" is not understood here`, command);
    }
    const value = option.takes === undefined ? '' : (inline ?? following.shift());
    if (value === undefined || (option.takes !== undefined && value === '')) {
      throw wrongUsage(`--${name} takes ${option.takes}`, command);
    }
    const before = given.get(name) ?? [];
    if (before.length > 0 && option.takes !== undefined && !option.repeats) {
      throw wrongUsage(`--${name} is given twice`, command);
    }
    given.set(name, [...before, value]);
  }
}

export function readNumber(args: Arguments, option: string, [from, to]: readonly [number, number]): number | undefined {
  const text = args.value(option);
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= from && value <= to)) throw wrongUsage(`--${option} takes a number from ${from} to ${to}`);
  return value;
}
