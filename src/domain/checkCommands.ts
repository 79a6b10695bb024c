import { lastPart } from './folders.ts';

/** Longer ones are programs of their own. */
const LINE_MAX = 4_000;

type Operator = '' | '&&' | '||' | '|' | ';' | '&';

interface Part {
  /** What stands between it and the part before. */
  readonly before: Operator;
  readonly words: readonly string[];
}

interface Line {
  readonly parts: readonly Part[];
  /** Its end says nothing of its last part. */
  readonly isLoose: boolean;
}

/** Whether the command tests or builds, and ends as that did: what a pipe, `||` or a later command hides nobody knows. */
export function isCheck(command: string): boolean {
  if (command.length > LINE_MAX) return false;
  const line = lineOf(command);
  return line.parts.some((part, index) => checks(part.words) && decides(line, index));
}

/** Quoted text, what is put in for something else, and redirections hold no operator. */
const pieces =
  /'[^']*'|"(?:\\.|[^"\\])*"|`[^`]*`|\$\([^()]*\)|\\.|[<>]&|&>|<<|&&|\|\||\|&|[;|&\n]|[^'"`$\\<>;|&\n]+|[^\n]/gs;

function lineOf(command: string): Line {
  const parts: Part[] = [];
  let text = '';
  const last: { operator: Operator } = { operator: '' };
  const end = (operator: Operator, isBreak: boolean): void => {
    const words = wordsOf(text);
    text = '';
    if (words.length > 0) parts.push({ before: last.operator, words });
    // A line that ends with an operator goes on in the next one.
    else if (isBreak) return;
    last.operator = operator;
  };
  for (const [piece] of command.matchAll(pieces)) {
    // What a program is given to read looks like commands, and is none.
    if (piece === '<<') return { parts: [...parts, { before: last.operator, words: wordsOf(text) }], isLoose: true };
    const operator = operatorOf(piece);
    if (operator === '') text += piece;
    else end(operator, piece === '\n');
  }
  end('', true);
  return { parts, isLoose: last.operator === '&' };
}

function operatorOf(piece: string): Operator {
  switch (piece) {
    case '&&':
    case '||':
    case '|':
    case ';':
    case '&':
      return piece;
    case '|&':
      return '|';
    case '\n':
      return ';';
    default:
      return '';
  }
}

function wordsOf(text: string): string[] {
  const words = text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replace(/^[({]+|[)}]+$|["']/g, '')).filter((word) => word !== '');
}

function decides({ parts, isLoose }: Line, index: number): boolean {
  const after = parts.slice(index + 1).map(({ before }) => before);
  if (isLoose || after[0] === '|' || !after.every((operator) => operator === '&&' || operator === '|')) return false;
  // Behind `||` it runs only where something else failed.
  return parts.slice(0, index + 1).findLast(({ before }) => before !== '|')?.before !== '||';
}

const assignment = /^\w+=/;

/** They run what follows them. */
const runners = new Set(['time', 'sudo', 'env', 'nice', 'command', 'exec', 'xvfb-run', 'npx', 'bunx', 'pnpx', 'node']);

/** They run what follows these words. */
const runningWords: Readonly<Record<string, RegExp>> = {
  npm: /^(?:exec|x)$/,
  pnpm: /^(?:exec|dlx)$/,
  yarn: /^(?:exec|dlx)$/,
  bun: /^x$/,
  poetry: /^run$/,
  uv: /^run$/,
  pipenv: /^run$/,
  bundle: /^exec$/,
};

/** With these and the word after them a program is told where to work. */
const valued = /^(?:-C|-w|-F|-f|-p|-j|--prefix|--workspace|--filter|--dir|--cwd|--project|--manifest-path)$/;

function checks(words: readonly string[]): boolean {
  const [program = '', ...rest] = words;
  if (program === '') return false;
  if (assignment.test(program)) return checks(rest);
  const name = nameOf(program);
  if (runners.has(name)) return checksNode(name, rest) || checks(afterOptions(rest));
  if (name === 'timeout') return checks(afterOptions(rest).slice(1));
  if (/^python[\d.]*$/.test(name)) return rest[0] === '-m' && /^(?:pytest|unittest|mypy|tox|nox)$/.test(rest[1] ?? '');
  if (rest.some((word) => /^--(?:help|version|list|collect-only)$/.test(word))) return false;
  if (tools.test(name)) return true;
  const [verb = '', ...called] = afterOptions(rest);
  const running = Object.hasOwn(runningWords, name) ? runningWords[name] : undefined;
  return (running?.test(verb) === true && checks(afterOptions(called))) || checksBy(name, withoutOptions(rest), rest);
}

function checksNode(name: string, [option]: readonly string[]): boolean {
  return name === 'node' && option === '--test';
}

function nameOf(program: string): string {
  return lastPart(program)
    .replace(/\.(?:exe|cmd|bat|ps1|[cm]?js)$/i, '')
    .toLowerCase();
}

function isOption(word: string, before = ''): boolean {
  return /^[-+]/.test(word) || valued.test(before);
}

function afterOptions(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word, index) => !isOption(word, words[index - 1]));
  return first < 0 ? [] : words.slice(first);
}

function withoutOptions(words: readonly string[]): readonly string[] {
  return words.filter((word, index) => !isOption(word, words[index - 1]));
}

/** They do nothing else. */
const tools =
  /^(?:vitest|jest|mocha|ava|jasmine|karma|tsc|vue-tsc|tsd|eslint|oxlint|stylelint|pytest|py\.test|mypy|pyright|pylint|flake8|tox|nox|rspec|rubocop|phpunit|phpstan|psalm|ctest|shellcheck|golangci-lint)$/;

/** As scripts and targets for it are called, alone or with more behind it: `test:unit`. */
const task =
  /^(?:tests?|build|check|lint|verify|validate|ci|e2e|unit|spec|types?|type-?check|tsc|compile|clippy|vet)(?:[:.\-_]|$)/;

/** By their first word. */
const ownTasks: Readonly<Record<string, RegExp>> = {
  go: /^(?:test|build|vet)$/,
  cargo: /^(?:test|t|build|b|check|c|clippy|nextest)$/,
  dotnet: /^(?:test|build)$/,
  swift: /^(?:test|build)$/,
  bazel: /^(?:test|build)$/,
  deno: /^(?:test|check|lint)$/,
  mix: /^(?:test|compile)$/,
  playwright: /^test$/,
  cypress: /^run$/,
  biome: /^(?:check|lint|ci)$/,
  ruff: /^check$/,
  zig: /^(?:test|build)$/,
  just: task,
  rake: task,
  composer: task,
};

const packageManagers = /^(?:npm|pnpm|yarn|bun)$/;
const buildTools = /^(?:gradlew?|mvnw?)$/;
const builds = /(?:^|:)(?:test\w*|build|check|verify|compile\w*|assemble\w*|package)$/;

function checksBy(name: string, told: readonly string[], all: readonly string[]): boolean {
  const [first = '', second = ''] = told;
  if (packageManagers.test(name)) return checksScript(name, first, second);
  if (buildTools.test(name)) return told.some((word) => builds.test(word));
  // By itself it builds.
  if (name === 'make') return told.every((word) => assignment.test(word)) || told.some((word) => task.test(word));
  if (name === 'prettier') return all.some((word) => word === '--check' || word === '-c');
  if (name === 'cmake') return all[0] === '--build';
  return Object.hasOwn(ownTasks, name) && ownTasks[name]?.test(first) === true;
}

function checksScript(name: string, first: string, script: string): boolean {
  if (/^run(?:-script)?$/.test(first)) return task.test(script);
  if (name === 'npm') return /^(?:test|t|tst)$/.test(first);
  // Yarn and pnpm run a script, or an installed program, by its name alone; Bun has a bundler of the name of one.
  return task.test(first) || (name !== 'bun' && tools.test(first));
}
