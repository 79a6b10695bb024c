import { describe, expect, test } from 'vitest';
import { checkKind, failedCheck, isCheck } from './checkCommands.ts';

const tests = [
  ...['npm test', 'npm t', 'npm run test:unit', 'pnpm test', 'pnpm -r test', 'yarn test --watch=false', 'bun test'],
  ...['npx vitest run', 'yarn jest src', 'npx mocha', 'npx playwright test', 'cypress run', 'node --test', 'deno test'],
  ...['pytest -q', 'python3 -m pytest', 'python -m unittest', 'tox -e py312', 'uv run pytest', 'python manage.py test'],
  ...['cargo test', 'cargo nextest run', 'go test ./...', 'gotestsum', 'dotnet test', 'swift test', 'mix test'],
  ...[
    './gradlew test',
    './gradlew :app:testDebug',
    'mvn -q test',
    'make test',
    'ctest --test-dir out',
    'bazel test //...',
  ],
  ...[
    'bundle exec rspec',
    'vendor/bin/phpunit',
    'php artisan test',
    'composer test',
    'zig build test',
    'zig test a.zig',
  ],
  ...['xcodebuild -scheme App test', 'nx run shop:test', 'turbo run test', 'yarn workspace shop test', 'flutter test'],
  ...[
    'cd /w && CI=1 timeout 60 npx c8 vitest run',
    "bash -lc 'npm test'",
    'npm test && echo done',
    'just test',
    'rake spec',
  ],
];

const builds = [
  ...['npm run build', 'pnpm build', 'yarn build:web', 'bun run build', 'bun build a.ts', 'npx vite build', 'webpack'],
  ...['npx rollup -c', 'esbuild a.ts --bundle', 'next build', 'ng build', 'cargo build --release', 'go build ./...'],
  ...[
    'dotnet build',
    'dotnet publish -c Release',
    'swift build',
    'mix compile',
    'make',
    'make -j4 all',
    'make CC=clang',
  ],
  ...[
    'cmake --build out',
    'ninja -C out',
    'gradle assemble',
    './gradlew compileJava',
    'mvn compile',
    'bazel build //a',
  ],
  ...['docker build -t a .', 'docker compose build', 'docker buildx build .', 'xcodebuild -scheme App', 'zig build'],
  ...[
    'gcc -o a a.c',
    'rustc a.rs',
    'deno compile a.ts',
    'python -m build',
    'stack build',
    'npm --prefix web run build',
  ],
];

const quality = [
  ...[
    'tsc --noEmit',
    'npx tsc -p .',
    'npx eslint .',
    'npm run lint',
    'pnpm lint',
    'yarn typecheck',
    'npm run check:types',
  ],
  ...[
    'npx biome check',
    'npx @biomejs/biome ci',
    'npx prettier --check .',
    'npm run format:check',
    'npm run test:types',
  ],
  ...['mypy src', 'python -m mypy .', 'ruff check', 'ruff format --check', 'pyright', 'flake8', 'black --check .'],
  ...[
    'cargo clippy',
    'cargo check',
    'cargo fmt --check',
    'go vet ./...',
    'golangci-lint run',
    'deno lint',
    'mix credo',
  ],
  ...['rubocop', 'vendor/bin/phpstan analyse', 'php -l a.php', 'shellcheck a.sh', './gradlew lintDebug', 'make lint'],
  ...[
    'npm run lint && npm run typecheck',
    'dotnet format --verify-no-changes',
    'terraform validate',
    'node --check a.js',
  ],
];

const nothing = [
  ...['echo "npm test"', 'echo npm test', 'git commit -m "build"', "git commit -m 'x; npm test'", 'grep -rn test src'],
  ...[
    'cat package.json',
    'ls build',
    'rm -rf build',
    'test -f a',
    'npm install vitest',
    'npm run dev',
    'yarn add jest',
  ],
  ...[
    'npx tsc --version',
    'npx eslint --init',
    'command -v tsc',
    'which cargo',
    'cargo run',
    'go mod tidy',
    'make clean',
  ],
  ...[
    'npx prettier --write .',
    'cargo fmt',
    'docker run build',
    'docker compose up',
    'python test.py',
    'npm test || true',
  ],
  ...[
    'npm test | tail',
    'npm test; git status',
    'npm test &',
    "cat > a.sh <<'EOF'\nnpm test\nEOF",
    'bash build.sh',
    '',
  ],
  ...[
    'webpack serve --help',
    'vitest --watch',
    'constructor',
    'npm constructor',
    'go toString',
    'bash -c',
    'gradle tasks',
  ],
];

describe('EVT-1 what a command finds out about the work', () => {
  test.each(tests)('EVT-1 it tests: %s', (command) => expect(checkKind(command)).toBe('test'));
  test.each(builds)('EVT-1 it builds: %s', (command) => expect(checkKind(command)).toBe('build'));
  test.each(quality)('EVT-1 it looks for mistakes: %s', (command) => expect(checkKind(command)).toBe('quality'));
  test.each(nothing)('EVT-1 none of it: %s', (command) =>
    expect([checkKind(command), isCheck(command)]).toEqual([undefined, false]),
  );

  test.each(['npm run check', 'make verify', 'npm run build && npm test', 'gradle build', 'mvn verify'])(
    'EVT-1 more than one thing, or nobody knows which: %s',
    (command) => expect([checkKind(command), isCheck(command)]).toEqual([undefined, true]),
  );
});

describe('EVT-1 which check has failed, where a command has', () => {
  test.each<[string, string]>([
    ['npm test', 'test'],
    ['cd web && npm run build', 'build'],
    ['git pull; npm run lint', 'quality'],
    ['npm run lint && npx tsc --noEmit', 'quality'],
    ['cat a.txt | npx eslint --stdin', 'quality'],
  ])('EVT-1 its exit code alone says so: %s', (command, kind) => expect(failedCheck(command, 1, '')).toBe(kind));

  test.each([
    'npm run build && npm test',
    'npm install && npm test',
    'npm test && git push',
    'npm run check',
    'make ci',
  ])('EVT-1 its exit code does not say which part it was, and nothing is claimed: %s', (command) =>
    expect(failedCheck(command, 1, 'exit code 1')).toBeUndefined(),
  );

  test.each<[string, string, string]>([
    ['npm run build && npm test', ' Tests  1 failed | 12 passed (13)', 'test'],
    ['npm run build && npm test', ' Tests  \u001b[1m\u001b[31m1 failed\u001b[39m\u001b[22m', 'test'],
    ['npm run build && npm test', "src/a.ts(3,1): error TS2304: Cannot find name 'b'.", 'build'],
    ['npm install && npm test', ' FAIL  src/a.test.ts > adds\n', 'test'],
    ['npm run lint && npm test', '✖ 3 problems (3 errors, 0 warnings)', 'quality'],
    ['npm run check', '# fail 2', 'test'],
    ['make check', "a.c:3:5: error: 'b' undeclared", 'build'],
    ['gradle build', 'There were failing tests. See the report', 'test'],
    ['mvn verify', '[ERROR] COMPILATION ERROR : ', 'build'],
    ['cargo build && cargo test', 'test result: FAILED. 3 passed; 1 failed', 'test'],
    ['cargo check && cargo test', 'running 3 tests\ntest result: FAILED. 2 passed; 1 failed', 'test'],
    ['ruff check && pytest', 'a.py:1:8: F401 `os` imported but unused\nFound 1 error.', 'quality'],
    ['black --check . && pytest', 'FAILED tests/test_a.py::test_b - assert 1 == 2', 'test'],
  ])('EVT-1 what it printed says which: %s: %s', (command, output, kind) =>
    expect(failedCheck(command, 1, output)).toBe(kind),
  );

  test.each<[string, string, string]>([
    [
      'tests that went well before something else failed',
      'npm test && git push',
      'Tests  12 passed\n0 failed\nrejected',
    ],
    ['signs of two kinds', 'npm run build && npm test', "error TS2304: no 'b'\n FAIL \nTests: 1 failed"],
  ])('EVT-1 nothing is claimed of %s', (_what, command, output) =>
    expect(failedCheck(command, 1, output)).toBeUndefined(),
  );

  test('EVT-1 a check that was stopped, or never ran, has found out nothing', () => {
    for (const exit of [0, 124, 126, 127, 130, 137, 143]) expect(failedCheck('npm test', exit, '')).toBeUndefined();
  });

  test('EVT-1 long lines and long outputs are read in no time', () => {
    const begin = performance.now();
    expect(failedCheck(`npm test ${'&& a '.repeat(100_000)}`, 1, '')).toBeUndefined();
    const hostile = ['1 '.repeat(500_000), 'FAIL '.repeat(200_000), 'a:1:'.repeat(200_000), '1'.repeat(1_000_000)];
    for (const output of hostile) failedCheck('npm run build && npm test', 1, output);
    expect(performance.now() - begin).toBeLessThan(1_000);
  });
});
