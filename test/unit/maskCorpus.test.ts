import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { maskPayload, maskText } from '../../src/domain/mask/mask.ts';
import { isThorough } from '../thorough.testkit.ts';
import {
  bareContexts,
  namedContexts,
  plantTokens,
  plantValues,
  privateKey,
  seeded,
} from '../../src/domain/mask/plant.testkit.ts';

interface Planted {
  readonly title: string;
  readonly text: string;
  /** None of these may be left. */
  readonly secrets: readonly string[];
}

const seeds = [11, 23, 47];

function plantEverywhere(seed: number): readonly Planted[] {
  const random = seeded(seed);
  const tokens = plantTokens(random).flatMap(({ title, secret }) =>
    bareContexts.map((context) => ({
      title: `${title}, ${context.title}`,
      text: context.write(secret),
      secrets: [secret.slice(-20)],
    })),
  );
  const values = plantValues(random).flatMap(({ name, secret }) =>
    namedContexts.map((context) => ({
      title: `${name}, ${context.title}`,
      text: context.write(name, secret),
      secrets: [secret],
    })),
  );
  const urls = plantValues(random).map(({ name, secret }) => {
    const password = encodeURIComponent(secret);
    return {
      title: `${name}, in a URL`,
      text: `DATABASE_URL=postgres://app:${password}@db.internal:5432/app`,
      secrets: [password],
    };
  });
  const keys = [
    'PRIVATE KEY',
    'EC PRIVATE KEY',
    'ENCRYPTED PRIVATE KEY',
    'OPENSSH PRIVATE KEY',
    'PGP PRIVATE KEY BLOCK',
  ].flatMap((title) => {
    const key = privateKey(random, title);
    const secrets = key.split('\n').slice(1, -1);
    return [
      { title: `${title}, whole`, text: `a\n${key}\nb`, secrets },
      { title: `${title}, escaped`, text: JSON.stringify({ key }), secrets },
      { title: `${title}, indented`, text: `key: |\n${key.replace(/^/gm, '    ')}`, secrets },
    ];
  });
  return [...tokens, ...values, ...urls, ...keys];
}

test('MSK-1 recall over planted secrets', () => {
  const planted = seeds.flatMap(plantEverywhere);
  const missed = planted.filter(({ text, secrets }) => {
    const masked = maskText(text);
    return secrets.some((secret) => masked.includes(secret));
  });
  const recall = 1 - missed.length / planted.length;
  console.log(
    `mask: recall ${recall.toFixed(4)} over ${String(planted.length)} planted secrets (${String(missed.length)} missed)`,
  );
  expect(planted.length).toBeGreaterThan(150);
  expect(
    recall,
    missed
      .slice(0, 20)
      .map(({ title, text }) => `${title}: ${text.slice(0, 160)}`)
      .join('\n'),
  ).toBeGreaterThanOrEqual(0.99);
});

const root = join(import.meta.dirname, '../..');
const realCode = [
  'package-lock.json',
  'node_modules/typescript/lib/{typescript,_tsc}.js',
  'node_modules/typescript/lib/lib.*.d.ts',
  'node_modules/{esbuild,vitest,eslint,ws,fast-check,mocha,axe-core,undici,ajv,glob,js-yaml}/**/*.{js,cjs,mjs,map}',
  'node_modules/{lit,lit-html,@lit,zod}/**/*.{js,cjs,ts,map}',
  'node_modules/prettier/**/*.{js,mjs}',
  'node_modules/playwright-core/lib/**/*.js',
  'node_modules/@typescript-eslint/**/*.{js,ts}',
  'node_modules/{vitest,eslint,zod,lit,undici}/**/*.{md,json}',
];

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** In their order. */
const paths = [...new Set(globSync(realCode, { cwd: root }))]
  .filter((path) => existsSync(join(root, path)) && statSync(join(root, path)).isFile())
  .sort();

function read(path: string): SourceFile {
  return { path, text: readFileSync(join(root, path), 'utf8') };
}

/** One file in so many: eighteen megabytes show a share of lines as well as seventy. */
const FILE_STRIDE = isThorough ? 1 : 3;

function changedLines({ path, text }: SourceFile): readonly string[] {
  const masked = maskText(text);
  if (masked === text) return [];
  const kept = masked.split('\n');
  return text
    .split('\n')
    .flatMap((line, index) =>
      line === kept[index] ? [] : [`${path}:${String(index + 1)}: ${line.trim().slice(0, 160)}`],
    );
}

const megabyte = 1_000_000;

/** Of hostile text, in one piece: what grows with the square of it shows in a quarter of a megabyte as well. */
const HOSTILE_LENGTH = isThorough ? megabyte / 2 : megabyte / 4;
const CODE_LENGTH = isThorough ? 10 * megabyte : 5 * megabyte;

function muchCode(): string {
  const pieces: string[] = [];
  let length = 0;
  for (const path of paths) {
    const { text } = read(path);
    pieces.push(text);
    length += text.length;
    if (length >= CODE_LENGTH) break;
  }
  return pieces.join('\n').slice(0, CODE_LENGTH);
}

interface Cost {
  readonly seconds: number;
  /** Of the processor: unlike the clock, it does not grow with what else the machine does. */
  readonly busy: number;
}

function costOf(work: () => void): Cost {
  const began = performance.now();
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - began) / 1000, busy: (user + system) / 1_000_000 };
}

function leastOf(runs: number, text: string): Cost {
  const costs = Array.from({ length: runs }, () => costOf(() => maskText(text)));
  return costs.reduce((least, each) => (each.busy < least.busy ? each : least));
}

/** In proportion: four times the text, well under eight times the work. */
const GROWTH_MAX = 8;

interface Growth {
  readonly quarter: Cost;
  readonly whole: Cost;
  readonly times: number;
}

/** A processor that is slower for a while, as shared ones are, spoils some of these. */
const ROUNDS = 6;

/** Each whole is set beside quarters from just before and after it: what is in proportion is so in any round that nothing spoilt. */
function growthOf(quarterly: () => void, wholly: () => void): Growth {
  // Compiled once.
  let before = (quarterly(), costOf(quarterly));
  let best: Growth | undefined;
  for (let round = 0; round < ROUNDS && (!best || best.times >= GROWTH_MAX); round++) {
    const whole = costOf(wholly);
    const after = costOf(quarterly);
    const quarter = after.busy < before.busy ? after : before;
    // Below some milliseconds compiling and collecting weigh more.
    const times = whole.busy / Math.max(quarter.busy, 0.004);
    if (!best || times < best.times) best = { quarter, whole, times };
    before = after;
  }
  return best ?? expect.fail('no round was played');
}

function growthOfText(small: string, large: string): Growth {
  return growthOf(
    () => maskText(small),
    () => maskText(large),
  );
}

function shown(cost: Cost): string {
  return `${(cost.seconds * 1000).toFixed(0)} ms (${(cost.busy * 1000).toFixed(0)} ms busy)`;
}

describe('MSK-2 real code', () => {
  test('MSK-2 under 0.1 % of the lines of real code change', () => {
    const files = paths.filter((_, index) => index % FILE_STRIDE === 0).map(read);
    const lines = files.reduce((sum, { text }) => sum + text.split('\n').length, 0);
    const size = files.reduce((sum, { text }) => sum + text.length, 0);
    const changed = files.flatMap(changedLines);
    const perTenThousand = (changed.length / lines) * 10_000;
    console.log(
      `mask: ${perTenThousand.toFixed(3)} of 10,000 lines of real code changed (${String(changed.length)} of ${String(lines)} lines, ${(size / megabyte).toFixed(0)} MB, ${String(files.length)} files)`,
    );
    expect(size).toBeGreaterThan(10 * megabyte);
    expect(perTenThousand, changed.slice(0, 20).join('\n')).toBeLessThan(10);
  });

  test('MSK-2 megabytes of code take time in proportion', () => {
    const large = muchCode();
    const small = large.slice(0, large.length / 4);
    const { quarter, whole, times } = growthOfText(small, large);
    console.log(
      `mask: ${(large.length / megabyte).toFixed(1)} MB of real code in ${shown(whole)}; a quarter of it in ${shown(quarter)}`,
    );
    expect(times).toBeLessThan(GROWTH_MAX);
  });
});

/** Each tries to make some part of the search look at the same text again and again. */
const hostile: readonly (readonly [string, string])[] = [
  ['one letter', 'a'],
  ['equals signs', '='],
  ['colons', ':'],
  ['blanks', ' '],
  ['double quotes', '"'],
  ['backslashes', '\\'],
  ['escaped quotes', '\\"'],
  ['opened quotes', 'pwd="pwd=\'pwd=`'],
  ['quotes that nothing closes', 'password=\'x password="y '],
  ['deeper escapes', 'token:\\"token:\\\\"token:\\\\\\"'],
  ['beginnings of keys', `${'-'.repeat(5)}BEGIN RSA PRIVATE KEY${'-'.repeat(5)}\n`],
  ['rules', '-'.repeat(5) + 'BEGIN '],
  ['ends of keys', `${'-'.repeat(5)}END RSA PRIVATE KEY${'-'.repeat(5)}\n`],
  ['keys without an end', `${'-'.repeat(5)}BEGIN PRIVATE KEY${'-'.repeat(5)}\n${'QUJD'.repeat(15)}\n\n\n`],
  ['ends after base64', `${'QUJD'.repeat(400)}\n${'-'.repeat(5)}END PRIVATE KEY${'-'.repeat(5)}!`],
  ['beginnings of tokens', 'eyJ-'],
  ['beginnings of many tokens', 'sk-ant-ghp_xoxb-AKIA-'],
  ['joined tokens', 'eyJhbGciOiJI.'],
  ['addresses', 'https://'],
  ['addresses with users', 'x://user:'],
  ['at signs', 'a://b@'],
  ['assignments', 'password='],
  ['assignments in a line', 'password=a;'],
  ['names', 'password_'],
  ['digits after a name', 'password1'],
  ['flags', ' -p'],
  ['long flags', ' --password'],
  ['flags of a program', 'mysql -p'],
  ['schemes', 'Bearer '],
  ['headers', 'Authorization: '],
  ['cookies', 'Cookie: a=b; '],
  ['elements', '<password>'],
  ['lists', '"token","'],
  ['patches', '*** Update File: .env\n+a\n'],
  ['values of names', 'name: "API_TOKEN", value: '],
  ['discord ids', 'MTIz'],
  ['keys with a dot', 'SG.'],
  ['masks', '«masked:'],
  ['words', 'abc1Def2 '],
  ['sentences', 'my password is '],
  ['sentences with values', 'nothing is abc1Def2 '],
  ['rows of a table', '| DB_PASSWORD '],
  ['lines of netrc', 'machine a login b password '],
  ['variables set', 'setx PASSWORD '],
  ['Korean names', '비밀번호: '],
  ['Korean particles', '비밀번호는 '],
  ['full-width signs', 'password＝'],
  ['cuts', '\n[agent-mascot: eyJ'],
  ['hyphens before cuts', `${'-'.repeat(4096)}\n[agent-mascot: `],
  ['spaced names', 'api key='],
  ['nouns', 'password pass login '],
  ['nouns of other scripts', 'пароль 비밀번호 contraseña '],
  ['nouns that a place follows', 'password for the '],
  ['commands', 'htpasswd -b a '],
  ['commands with users', 'curl -u a:b '],
  ['piped words', 'echo a | '],
  ['calls', 'login(a,'],
  ['hashes', '$6$abcdefghijklmnop'],
  ['guarded beginnings', 'jina_'],
  ['connections', 'user=a password=b '],
  ['manifests', 'kind: Secret\ndata:\n a: b\n'],
  ['lines of passwords', 'h:5432:a:b:c\n'],
  ['keys of PuTTY', 'Private-Lines: 9\n'],
  ['phrases', 'seed phrase: abandon '],
  ['values before a noun', 'abc1Def2 as the password '],
  ['literals of calls', 'new Client("a1", "b2", '],
  ['flags with users', '-u kim -p a1 '],
  ['configured values', 'bundle config set --global a '],
  ['sentences that go on', 'contraseña de la casa de mi '],
  ['phrases that go on', 'passphrase is seven copper kettles '],
  ['values before nouns', 'abc-Def-12 comme mot de passe '],
  ['users and values', 'login with kim and '],
  ['quotes that a noun opens', 'пароль «'],
  ['headers with quoted parameters', 'Authorization: Hawk id="'],
  ['files that are quoted', '<file path="a.env">'],
  ['listings of files', '==> .env <==\na\n'],
  ['fences of files', '```env .env\n'],
  ['lists of bytes', '[1,2,3,'],
  ['tables', 'name,password,note\na,"b'],
  ['types', 'password: Final[str] | None '],
  ['sized types', 'password char(12) := '],
  ['accessors', 'string Password { get; set; } '],
  ['defaults of placeholders', '${db.password:'],
  ['named keys', 'abc_live_abc_live_'],
  ['lazy values', 'password by lazy { "'],
  ['runs that are called keys', 'key Kx9dPq2mT7vLw3sRz8nB4cYhZz '],
];

describe('MSK-2 hostile text', () => {
  test.each(hostile)('MSK-2 %s, again and again without end, take time in proportion', (title, unit) => {
    const large = unit.repeat(Math.ceil(HOSTILE_LENGTH / unit.length));
    const small = large.slice(0, HOSTILE_LENGTH / 4);
    const { quarter, whole, times } = growthOfText(small, large);
    console.log(
      `mask: hostile ${title}: ${HOSTILE_LENGTH / 1000} kB in ${shown(whole)}; a quarter of it in ${shown(quarter)}`,
    );
    expect(times).toBeLessThan(GROWTH_MAX);
  });
});

/** What the shell's commands and the keys of an object are made of takes other ways through the code than a text does. */
const hostilePayloads: readonly (readonly [string, (length: number) => JsonObject])[] = [
  [
    'keys that come out the same',
    (length) => Object.fromEntries(Array.from({ length: length / 50 }, (_, at) => [sameKey(at), at])),
  ],
  ['variables that double', (length) => shellCall('a=$a$a;', length)],
  ['globs', (length) => shellCall(`cat ${'*a'.repeat(100)} `, length)],
  ['loops', (length) => shellCall('for f in .a b; do cat $f; done; ', length)],
  ['flags', (length) => ({ args: Array.from({ length: length / 10 }, () => '--password') })],
];

function sameKey(at: number): string {
  return `gh${'p_'}${String(at).padStart(36, 'a')}`;
}

function shellCall(unit: string, length: number): JsonObject {
  return { tool_name: 'Bash', tool_input: { command: unit.repeat(length / unit.length) }, tool_response: 'x' };
}

describe('MSK-2 hostile payloads', () => {
  test.each(hostilePayloads)('MSK-2 %s take time in proportion', (title, payloadOf) => {
    const [large, small] = [payloadOf(HOSTILE_LENGTH), payloadOf(HOSTILE_LENGTH / 4)];
    const { quarter, whole, times } = growthOf(
      () => maskPayload(small),
      () => maskPayload(large),
    );
    console.log(
      `mask: hostile ${title}: ${HOSTILE_LENGTH / 1000} kB in ${shown(whole)}; a quarter of it in ${shown(quarter)}`,
    );
    expect(times).toBeLessThan(GROWTH_MAX);
  });
});

describe('MSK-2 the names that texts repeat most', () => {
  const code = muchCode().slice(0, megabyte / 2);
  let real: Cost;
  beforeAll(() => void (real = leastOf(4, code)));

  test.each(['Cookie: a=b; ', 'password=', 'pwd="pwd=\'pwd=`', 'password=\'x password="y '])(
    'MSK-2 %s on end costs a few times what real code costs',
    (unit) => {
      const repeated = leastOf(4, unit.repeat(megabyte / 2 / unit.length));
      console.log(`mask: ${unit} on end: ${(repeated.busy / real.busy).toFixed(1)} times the work of real code`);
      expect(repeated.busy / real.busy).toBeLessThan(8);
    },
  );
});
