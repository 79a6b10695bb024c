import { lastPart } from './folders.ts';

/** What a command finds out about the work. */
export const checkKinds = ['build', 'test', 'quality'] as const;
export type CheckKind = (typeof checkKinds)[number];

const none: readonly CheckKind[] = [];

const assignment = /^\w+=/;

/** They run what follows them. */
const runners = namesIn(
  'time sudo env nice nohup command exec xvfb-run xcrun npx bunx pnpx node cross-env dotenv c8 nyc corepack',
);

/** They run what follows these words. */
const runningWords: Readonly<Record<string, RegExp>> = {
  npm: /^(?:exec|x)$/,
  pnpm: /^(?:exec|dlx)$/,
  yarn: /^(?:exec|dlx)$/,
  bun: /^x$/,
  poetry: /^run$/,
  uv: /^run$/,
  pipenv: /^run$/,
  pdm: /^run$/,
  hatch: /^run$/,
  rye: /^run$/,
  bundle: /^exec$/,
};

/** With these and the word after them a program is told where to work. */
const valued = /^(?:-C|-w|-F|-f|-p|-j|--prefix|--workspace|--filter|--dir|--cwd|--project|--manifest-path)$/;

/** Asked so, a program checks nothing. */
const idle = /^(?:-h|--(?:help|version|list|listTests|collect-only|init|showConfig|print-config|watch|serve))$/;

/** They do nothing else. */
const programs: Readonly<Record<CheckKind, ReadonlySet<string>>> = {
  test: namesIn(
    'vitest jest mocha ava jasmine karma tap wtr web-test-runner pytest py.test unittest nosetests tox nox behave bats ' +
      'rspec cucumber phpunit pest codecept paratest ctest gotestsum ginkgo busted',
  ),
  quality: namesIn(
    'tsc vue-tsc svelte-check tsd eslint oxlint stylelint standard xo jshint knip markdownlint markdownlint-cli2 cspell ' +
      'mypy pyright basedpyright pylint flake8 pycodestyle pydocstyle bandit pytype yamllint rubocop standardrb brakeman ' +
      'erblint phpstan psalm phpcs shellcheck hadolint actionlint golangci-lint staticcheck revive ktlint detekt swiftlint ' +
      'checkstyle clang-tidy cppcheck tflint commitlint',
  ),
  build: namesIn(
    'webpack rollup esbuild tsup tsdown ninja scons msbuild gcc g++ clang clang++ cc rustc javac kotlinc swiftc ghc',
  ),
};

type Verbs = Readonly<Partial<Record<CheckKind, RegExp>>>;

/** By their first word. */
const byVerb: Readonly<Record<string, Verbs>> = {
  go: { test: /^test$/, build: /^(?:build|install)$/, quality: /^vet$/ },
  cargo: { test: /^(?:test|t|nextest)$/, build: /^(?:build|b)$/, quality: /^(?:check|c|clippy)$/ },
  dotnet: { test: /^test$/, build: /^(?:build|publish|pack|msbuild)$/ },
  swift: { test: /^test$/, build: /^build$/ },
  bazel: { test: /^(?:test|coverage)$/, build: /^build$/ },
  bazelisk: { test: /^(?:test|coverage)$/, build: /^build$/ },
  deno: { test: /^test$/, quality: /^(?:check|lint)$/, build: /^compile$/ },
  mix: { test: /^test$/, build: /^compile$/, quality: /^(?:credo|dialyzer)$/ },
  bun: { test: /^test$/, build: /^build$/ },
  playwright: { test: /^test$/ },
  cypress: { test: /^run$/ },
  biome: { quality: /^(?:check|lint|ci)$/ },
  ruff: { quality: /^check$/ },
  dprint: { quality: /^check$/ },
  vite: { build: /^build$/ },
  parcel: { build: /^build$/ },
  next: { build: /^build$/, quality: /^lint$/ },
  nuxt: { build: /^build$/, quality: /^typecheck$/ },
  nuxi: { build: /^build$/, quality: /^typecheck$/ },
  astro: { build: /^build$/, quality: /^check$/ },
  ng: { build: /^build$/, test: /^(?:test|e2e)$/, quality: /^lint$/ },
  'react-scripts': { build: /^build$/, test: /^test$/ },
  docker: { build: /^build$/ },
  podman: { build: /^build$/ },
  cmake: { build: /^--build$/ },
  meson: { build: /^compile$/, test: /^test$/ },
  stack: { build: /^build$/, test: /^test$/ },
  cabal: { build: /^build$/, test: /^test$/ },
  dune: { build: /^build$/, test: /^(?:test|runtest)$/ },
  sbt: { build: /^compile$/, test: /^test(?:Only)?$/ },
  lein: { test: /^test$/, build: /^(?:compile|uberjar)$/ },
  flutter: { build: /^build$/, test: /^test$/, quality: /^analyze$/ },
  dart: { build: /^compile$/, test: /^test$/, quality: /^analyze$/ },
  rails: { test: /^test$/ },
  artisan: { test: /^test$/ },
  forge: { build: /^build$/, test: /^test$/ },
  terraform: { quality: /^validate$/ },
  helm: { quality: /^lint$/ },
  buf: { build: /^build$/, quality: /^lint$/ },
  'pre-commit': { quality: /^run$/ },
};

/** What stands before the verb of these. */
const groups: Readonly<Record<string, RegExp>> = {
  docker: /^(?:compose|buildx|image)$/,
  podman: /^(?:compose|image)$/,
};

const formatters = namesIn('prettier black isort rustfmt stylua yapf clang-format taplo');
const formats = /^(?:fmt|format)$/;
const onlyLooks = /^(?:-c|-l|--?check|--check-only|--check-formatted|--list-different|--verify-no-changes|--dry-run)$/;

/** As scripts and targets are called, alone or with more behind it: `test:unit`. */
const tasks: Readonly<Record<CheckKind, RegExp>> = {
  test: /^(?:tests?|e2e|unit|spec)(?:[:.\-_]|$)/,
  build: /^(?:build|compile)(?:[:.\-_]|$)/,
  quality: /^(?:lint|types?|type-?check|tsc|clippy|vet|(?:format|fmt|prettier)[:.\-_](?:check|ci))(?:[:.\-_]|$)/,
};

/** They may do anything of it. */
const mixedTask = /^(?:check|verify|validate|ci)(?:[:.\-_]|$)/;

/** Lint rules and types are tested by scripts of such names, too. */
const qualityWithin = /[:.\-_](?:lint|eslint|types?|type-?check|tsc)(?:[:.\-_]|$)/;

const packageManagers = namesIn('npm pnpm yarn bun');
const taskRunners = namesIn('just rake composer npm-run-all run-s run-p turbo');

/** The last word of a task's path decides, be it `:app:testDebug`. */
const gradleTasks: readonly [RegExp, readonly CheckKind[]][] = [
  [/(?:^|:)test\w*$/i, ['test']],
  [/(?:^|:)check$/, ['test', 'quality']],
  [/(?:^|:)build$/, ['build', 'test']],
  [/(?:^|:)(?:compile\w*|assemble\w*)$/, ['build']],
  [/(?:^|:)(?:lint\w*|detekt\w*|ktlintCheck|spotlessCheck|checkstyle\w*)$/, ['quality']],
];
const mavenPhases: readonly [RegExp, readonly CheckKind[]][] = [
  [/^(?:test|integration-test)$/, ['test']],
  [/^(?:verify|package|install)$/, ['build', 'test']],
  [/^(?:compile|test-compile)$/, ['build']],
  [/^checkstyle:check$/, ['quality']],
];

/** What the command may find out, each kind once; more than one where its words alone don't tell. Empty: it checks nothing. */
export function kindsOf(words: readonly string[]): readonly CheckKind[] {
  const [program = '', ...rest] = words;
  if (program === '') return none;
  if (assignment.test(program)) return kindsOf(rest);
  const name = nameOf(program);
  if (runners.has(name)) return kindsRun(name, rest);
  if (name === 'timeout') return kindsOf(afterOptions(rest).slice(1));
  if (/^python[\d.]*$/.test(name)) return kindsOfPython(rest);
  if (name === 'php') return rest[0] === '-l' ? ['quality'] : kindsOf(rest);
  if (rest.some((word) => idle.test(word))) return none;
  const own = checkKinds.filter((kind) => programs[kind].has(name));
  if (own.length > 0) return own;
  const [verb = '', ...called] = afterOptions(rest);
  if (entryOf(runningWords, name)?.test(verb) === true) {
    const run = kindsOf(afterOptions(called));
    if (run.length > 0) return run;
  }
  return kindsBy(name, withoutOptions(rest), rest);
}

function kindsRun(name: string, rest: readonly string[]): readonly CheckKind[] {
  if (name === 'node' && rest[0] === '--test') return ['test'];
  if (name === 'node' && rest[0] === '--check') return ['quality'];
  // It only tells where the program is.
  if (name === 'command' && /^-[vV]$/.test(rest[0] ?? '')) return none;
  return kindsOf(afterOptions(rest));
}

function kindsOfPython([option, ...rest]: readonly string[]): readonly CheckKind[] {
  if (option === '-m') return /^(?:build|compileall)$/.test(rest[0] ?? '') ? ['build'] : kindsOf(rest);
  return option !== undefined && lastPart(option) === 'manage.py' && rest[0] === 'test' ? ['test'] : none;
}

function kindsBy(name: string, told: readonly string[], all: readonly string[]): readonly CheckKind[] {
  const [first = ''] = told;
  if (packageManagers.has(name)) return kindsOfScript(name, told);
  if (/^gradlew?$/.test(name)) return kindsAmong(told, gradleTasks);
  if (/^mvnw?$/.test(name)) return kindsAmong(told, mavenPhases);
  if (name === 'make' || name === 'gmake') return kindsOfMake(told);
  if (name === 'xcodebuild') return kindsOfXcode(told, all);
  if (name === 'zig' && first === 'build') return told[1] === 'test' ? ['test'] : ['build'];
  if (name === 'zig') return first === 'test' ? ['test'] : none;
  // `nx run shop:test` names its project first.
  if (name === 'nx') return union(told.flatMap((word) => word.split(':')).map(kindsOfTask));
  if (taskRunners.has(name)) return union(told.map(kindsOfTask));
  if (formatters.has(name) || formats.test(first)) return all.some((word) => onlyLooks.test(word)) ? ['quality'] : none;
  if (name === 'deno' && first === 'task') return kindsOfTask(told[1] ?? '');
  const verbs = entryOf(byVerb, name);
  const verb = entryOf(groups, name)?.test(first) ? told[1] : name === 'cmake' ? all[0] : first;
  return verbs === undefined ? none : checkKinds.filter((kind) => verbs[kind]?.test(verb ?? '') === true);
}

function kindsOfScript(name: string, [first = '', ...rest]: readonly string[]): readonly CheckKind[] {
  if (/^run(?:-script)?$/.test(first)) return kindsOfTask(rest[0] ?? '');
  if (name === 'yarn' && first === 'workspace') return kindsOfScript(name, rest.slice(1));
  if (name === 'npm') return /^(?:test|t|tst)$/.test(first) ? ['test'] : none;
  const told = kindsOfTask(first);
  // Yarn and pnpm run a script, or an installed program, by its name alone; Bun has a bundler of the name of one.
  if (told.length > 0 || name === 'bun') return told;
  return checkKinds.some((kind) => programs[kind].has(first)) || Object.hasOwn(byVerb, first)
    ? kindsOf([first, ...rest])
    : none;
}

function kindsOfTask(word: string): readonly CheckKind[] {
  if (qualityWithin.test(word) && [...Object.values(tasks), mixedTask].some((task) => task.test(word)))
    return ['quality'];
  if (mixedTask.test(word)) return checkKinds;
  return checkKinds.filter((kind) => tasks[kind].test(word));
}

/** By itself it builds. */
function kindsOfMake(told: readonly string[]): readonly CheckKind[] {
  const targets = told.filter((word) => !assignment.test(word));
  return targets.length === 0
    ? ['build']
    : union(targets.map((word) => (word === 'all' ? ['build'] : kindsOfTask(word))));
}

function kindsOfXcode(told: readonly string[], all: readonly string[]): readonly CheckKind[] {
  if (told.some((word) => /^test(?:-without-building)?$/.test(word))) return ['test'];
  const builds = told.some((word) => /^(?:build|archive|build-for-testing)$/.test(word));
  return builds || all.some((word) => word === '-scheme' || word === '-target') ? ['build'] : none;
}

function kindsAmong(
  told: readonly string[],
  table: readonly (readonly [RegExp, readonly CheckKind[]])[],
): readonly CheckKind[] {
  return union(told.flatMap((word) => table.filter(([pattern]) => pattern.test(word)).map(([, kinds]) => kinds)));
}

export function union(all: readonly (readonly CheckKind[])[]): readonly CheckKind[] {
  return checkKinds.filter((kind) => all.some((kinds) => kinds.includes(kind)));
}

export function nameOf(program: string): string {
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

function namesIn(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

function entryOf<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
