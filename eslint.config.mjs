/**
 * The layers of ARCHITECTURE.md, held by lint. Every ban says what to do instead; `test/unit/lint.test.ts` proves that each
 * one fires.
 */
import importX from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

/** @typedef {{ group?: string[], regex?: string, message: string, allowTypeImports?: boolean }} Ban */

const node = ban(
  ['node:*'],
  'The machine is reached through a port of src/app/ports.ts; its adapter lives in src/node.',
);
const vscode = ban(['vscode'], 'The editor is reached through src/vscode; this layer must run without one.');
const serverPackages = ban(['ws', 'sql.js', 'sql.js/*'], 'Sockets and SQLite live in src/node, behind a port.');
const lit = ban(['lit', 'lit/*'], 'Pictures are drawn in webview/; hand over state instead.');
const zod = ban(['zod'], 'Messages are parsed once, at the door, with a schema of src/protocol; use its types here.');
const wholeZod = {
  regex: '^zod$',
  message: "Import from 'zod/mini': a fifth of the code, and schemas that cost next to nothing to make.",
};
const anyPackage = {
  regex: '^(?!\\.{1,2}/|node:)',
  message:
    'Hooks run this file where nothing is installed: only node:* and src/protocol/{discovery,limits,handOver,providers}.ts.',
};

/** @param {string[]} group @param {string} message @returns {Ban} */
function ban(group, message) {
  return { group, message };
}

/** @param {string} target @param {string[]} from @param {string} message @param {string[]} [except] */
function zone(target, from, message, except) {
  return from.map((folder) => ({ target: `./${target}`, from: `./${folder}`, message, ...(except ? { except } : {}) }));
}

const roots = [
  ...['src/extension.ts', 'src/startWindow.ts', 'src/headless.ts', 'src/mascot.ts', 'src/uninstall.ts'],
  ...['src/composeHooks.ts', 'src/composeWindow.ts', 'src/composeOutlets.ts'],
];
const outer = ['src/node', 'src/vscode', 'src/cli', 'webview', 'forwarder', ...roots];
const zones = [
  ...zone(
    'src/protocol',
    ['src/domain', 'src/app', ...outer],
    'protocol is the words on the wire and knows nobody; move the word here, not the import.',
  ),
  ...zone(
    'src/domain',
    ['src/app', ...outer],
    'domain is pure: take what you need as an argument, or move the use case to src/app.',
  ),
  ...zone(
    'src/app',
    outer,
    'app talks to the world through src/app/ports.ts: add a port and let the composition root hand in its adapter.',
  ),
  ...zone(
    'src/node',
    ['src/vscode', 'src/cli', 'webview', ...roots],
    'node runs without an editor: hand the value in from the composition root.',
  ),
  ...zone(
    'src/node',
    ['forwarder'],
    'a hand-over is completed, a program trusted, and a process found, as the forwarder does it: only these files of it are meant for both.',
    [
      ...['./meta.ts', './origin.ts', './environment.ts', './payload.ts', './cut.ts', './home.ts', './collector.ts'],
      ...['./trustedPath.ts', './processes.ts', './linuxProcesses.ts', './listedProcesses.ts'],
    ],
  ),
  ...zone(
    'src/node',
    ['src/app'],
    'node implements ports and may know only src/app/{ports,sourcePorts,windowPorts,workPorts,shelfPorts,outletPorts,changePorts,erasurePorts}.ts, {sink/sinkPorts,relay/relayPorts}.ts, the shapes of ownerRole.ts, watch/watchParts.ts, hooks/hookPorts.ts and hooks/doctorPorts.ts.',
    [
      './ports.ts',
      './sourcePorts.ts',
      './workPorts.ts',
      './shelfPorts.ts',
      './outletPorts.ts',
      './changePorts.ts',
      './erasurePorts.ts',
      './sink/sinkPorts.ts',
      './relay/relayPorts.ts',
      './windowPorts.ts',
      './ownerRole.ts',
      './watch/watchParts.ts',
      './hooks/hookPorts.ts',
      './hooks/doctorPorts.ts',
      './hooks/hookKit.ts',
      './testkit',
    ],
  ),
  ...zone(
    'src/cli',
    ['src/vscode', 'src/node', 'webview', ...roots],
    'the command line is a view like the editor: let src/mascot.ts wire the machine in.',
  ),
  ...zone(
    'src/vscode',
    ['src/node', 'src/cli', 'webview', 'forwarder'],
    'vscode adapts the editor only: let src/startWindow.ts wire the machine in.',
  ),
  ...zone(
    'src/vscode',
    ['src/app'],
    'a view sees the state through src/app/{ports,windowPorts,outletPorts}.ts, and hooks through the shapes of src/app/hooks, only.',
    [
      ...['./ports.ts', './windowPorts.ts', './outletPorts.ts', './sink/sinkPorts.ts', './relay/relayPorts.ts'],
      ...['./hooks/hookPorts.ts', './hooks/hookInstaller.ts', './hooks/hookKit.ts'],
    ],
  ),
  ...zone(
    'webview',
    ['src/domain', 'src/app', 'src/node', 'src/vscode', 'src/cli', 'forwarder'],
    'the panel knows only types of src/protocol; let the host send what it shows.',
  ),
  ...zone(
    'forwarder',
    ['src/app', 'src/node', 'src/vscode', 'src/cli', 'webview'],
    'the forwarder stands alone: move shared constants to src/protocol/{discovery,limits,handOver,providers}.ts.',
  ),
  ...zone(
    'forwarder',
    ['src/domain'],
    'the forwarder stands alone; only remote.ts, a bundle of its own, masks what goes to another machine.',
    ['./mask/mask.ts'],
  ),
];

const shape = [
  {
    selector: 'ExportDefaultDeclaration',
    message: 'Export by name: a name is found by searching, and stays the same everywhere.',
  },
  { selector: 'ExportAllDeclaration', message: 'No barrels: import from the file that defines it.' },
  { selector: 'ExportNamedDeclaration[source]', message: 'No re-exports: import from the file that defines it.' },
  {
    selector: 'Program > VariableDeclaration[kind!="const"]',
    message: 'No mutable module state: hold it in the function that creates the part.',
  },
  {
    selector: 'Program > ExportNamedDeclaration > VariableDeclaration[kind!="const"]',
    message: 'No mutable module state: hold it in the function that creates the part.',
  },
  {
    selector:
      'Program > VariableDeclaration > VariableDeclarator > NewExpression[callee.name=/^(Map|Set|WeakMap|WeakSet)$/][arguments.length=0]',
    message: 'An empty collection at module level is mutable state: hold it in the function that creates the part.',
  },
  { selector: 'TSEnumDeclaration', message: 'Use a const array and its union type: it costs nothing at run time.' },
];

const impure = [
  {
    object: 'Date',
    property: 'now',
    message: 'Time enters as an argument or through the Clock port, so that tests are tables.',
  },
  {
    object: 'Math',
    property: 'random',
    message: 'Randomness enters as an argument or a port, so that tests are tables.',
  },
];
const timers = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'performance', 'crypto', 'fetch'].map(
  (name) => ({
    name,
    message: 'Use a port (Clock, …): this layer must be the same everywhere and at any time.',
  }),
);

/**
 * @param {Ban[]} patterns
 * @returns {import('eslint').Linter.RulesRecord}
 */
const imports = (...patterns) => ({
  'no-restricted-imports': 'off',
  '@typescript-eslint/no-restricted-imports': ['error', { patterns }],
});

const tests = ['**/*.test.ts', '**/*.testkit.ts', 'test/**'];

export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'node_modules/**',
      'test-results/**',
      '.vscode-test/**',
      'test/recordings/**',
      '**/dist-test/**',
    ],
  },
  ...tseslint.configs.recommended,
  {
    plugins: { 'import-x': importX },
    languageOptions: { ecmaVersion: 2024, sourceType: 'module' },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      'prefer-const': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'max-lines': ['error', { max: 600, skipBlankLines: false, skipComments: false }],
      'no-restricted-syntax': ['error', ...shape],
    },
  },
  {
    files: ['**/*.ts'],
    settings: { 'import-x/extensions': ['.ts', '.mjs'], 'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] } },
  },
  { files: ['**/*.ts'], ignores: tests, rules: { 'import-x/no-restricted-paths': ['error', { zones }] } },
  {
    files: ['src/**/*.ts', 'forwarder/**/*.ts'],
    ignores: tests,
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: true }],
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  { files: ['src/protocol/**/*.ts'], ignores: tests, rules: imports(node, vscode, serverPackages, lit, wholeZod) },
  {
    files: ['discovery', 'limits', 'handOver', 'providers'].map((name) => `src/protocol/${name}.ts`),
    rules: imports(node, vscode, serverPackages, lit, zod),
  },
  {
    files: ['src/domain/**/*.ts'],
    ignores: ['src/domain/providers/**', ...tests],
    rules: {
      ...imports(node, vscode, serverPackages, lit, zod),
      'no-restricted-properties': ['error', ...impure],
      'no-restricted-globals': ['error', ...timers],
    },
  },
  {
    files: ['src/domain/providers/**/*.ts', 'src/domain/normalize.ts'],
    ignores: tests,
    rules: {
      ...imports(node, vscode, serverPackages, lit, wholeZod),
      'no-restricted-properties': ['error', ...impure],
      'no-restricted-globals': ['error', ...timers],
    },
  },
  {
    files: ['src/app/**/*.ts'],
    ignores: tests,
    rules: {
      ...imports(node, vscode, serverPackages, lit, zod),
      'no-restricted-properties': ['error', ...impure],
      'no-restricted-globals': ['error', ...timers],
    },
  },
  { files: ['src/node/**/*.ts'], ignores: tests, rules: imports(vscode, lit, wholeZod) },
  { files: ['src/cli/**/*.ts'], ignores: tests, rules: imports(vscode, serverPackages, lit, zod) },
  { files: ['src/vscode/**/*.ts'], ignores: tests, rules: imports(node, serverPackages, lit, zod) },
  {
    files: ['webview/**/*.ts'],
    ignores: tests,
    rules: {
      ...imports(node, vscode, serverPackages, zod, {
        ...ban(['**/src/protocol/*'], 'Only types cross into the panel: write `import type`.'),
        allowTypeImports: true,
      }),
      'no-restricted-globals': [
        'error',
        ...['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource'].map((name) => ({
          name,
          message: 'The panel speaks only to its host: use webview/port.ts.',
        })),
      ],
    },
  },
  {
    files: ['forwarder/**/*.ts'],
    ignores: tests,
    rules: imports(vscode, anyPackage, {
      regex: 'src/protocol/(?!(discovery|limits|handOver|providers)\\.ts$)',
      message:
        'Values come from discovery.ts, limits.ts, handOver.ts and providers.ts only; take types with `import type`.',
      allowTypeImports: true,
    }),
  },
  {
    files: roots,
    rules: { 'max-lines': ['error', { max: 80 }] },
  },
  {
    files: tests,
    rules: {
      'max-lines': ['error', { max: 800 }],
      'no-restricted-syntax': ['error', ...shape.slice(0, 3), ...shape.slice(6)],
      'no-console': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['scripts/**', '*.mjs', '*.config.mts', 'test/**/*.mjs', 'test/**/*.cjs'],
    rules: {
      'no-console': 'off',
      'no-restricted-syntax': ['error', ...shape.slice(1, 3)],
      '@typescript-eslint/no-require-imports': 'off',
    },
  },
);
