import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskPayload, maskText } from './mask.ts';
import { bareContexts, namedContexts, plantTokens, plantValues, privateKey, seeded } from './plant.testkit.ts';

const random = seeded(7);
const tokens = plantTokens(random);
const values = plantValues(random);

describe('MSK-1 keys of providers', () => {
  test.each(tokens)('MSK-1 $title is masked wherever it stands', ({ kind, secret }) => {
    const missed = bareContexts.filter(({ write }) => !isHidden(maskText(write(secret)), secret, kind));
    expect(missed.map(({ title }) => title)).toEqual([]);
  });

  function isHidden(masked: string, secret: string, kind: string): boolean {
    // Of a telegram token the bot's own number may stay.
    return !masked.includes(secret.slice(-20)) && masked.includes(`«masked:${kind}»`);
  }
});

describe('MSK-1 values behind names', () => {
  test.each(values)('MSK-1 $name is masked in every notation', ({ name, secret }) => {
    const missed = namedContexts.filter(({ write }) => maskText(write(name, secret)).includes(secret));
    expect(missed.map(({ title }) => title)).toEqual([]);
  });
});

const p = 'hun' + 'ter2';
const long = 'q8Zr' + 'T2mVx9Lk4Wd7';
const rule = '-'.repeat(5);

const exact: readonly (readonly [string, string])[] = [
  [`postgres://app:${p}@db:5432/x`, 'postgres://app:«masked:url-password»@db:5432/x'],
  [`redis://:${p}@cache`, 'redis://:«masked:url-password»@cache'],
  [`mongodb+srv://u:p@ss${p}@host/db`, 'mongodb+srv://u:«masked:url-password»@host/db'],
  [`git clone https://${long}ab@github.com/o/r.git`, 'git clone https://«masked:url-password»@github.com/o/r.git'],
  [`Authorization: Bearer ${long}`, 'Authorization: Bearer «masked:bearer»'],
  [`-H 'Authorization: Bearer ${long}' -X GET`, "-H 'Authorization: Bearer «masked:bearer»' -X GET"],
  [`{"authorization":"Basic dXNlcjpwYXNzd29yZA=="}`, '{"authorization":"Basic «masked:basic»"}'],
  [`headers = {'Authorization': 'Token ${long}'}`, "headers = {'Authorization': 'Token «masked:authorization»'}"],
  [`Proxy-Authorization: Basic dXNlcjpwYXNz`, 'Proxy-Authorization: Basic «masked:basic»'],
  [`X-Api-Key: ${long}`, 'X-Api-Key: «masked:secret»'],
  [`Cookie: theme=dark; session=${long}`, 'Cookie: «masked:cookie»'],
  [`Set-Cookie: sid=${long}; Path=/`, 'Set-Cookie: «masked:cookie»'],
  [`curl -u admin:${p} https://x.io`, 'curl -u admin:«masked:password» https://x.io'],
  [`curl --user 'admin:${p}' https://x.io`, "curl --user 'admin:«masked:password»' https://x.io"],
  [`mysql -u root -p${p} shop`, 'mysql -u root -p«masked:password» shop'],
  [`mysqldump -p'${p}' shop`, "mysqldump -p'«masked:password»' shop"],
  [`sshpass -p ${p} ssh host`, 'sshpass -p «masked:password» ssh host'],
  [`docker login -u me -p ${p} reg.io`, 'docker login -u me -p «masked:password» reg.io'],
  [`redis-cli -a ${p} ping`, 'redis-cli -a «masked:password» ping'],
  [`tool --password swordfish`, 'tool --password «masked:password»'],
  [`tool --password=${p} run`, 'tool --password=«masked:password» run'],
  [`wget --http-password="${p}" url`, 'wget --http-password="«masked:password»" url'],
  ['PASSWORD=swordfish', 'PASSWORD=«masked:password»'],
  ['password=swordfish', 'password=«masked:password»'],
  ['SECRET=topsecret', 'SECRET=«masked:secret»'],
  [`DB_PASSWORD="correct horse"  # old`, 'DB_PASSWORD="«masked:password»"  # old'],
  ['export ACCESS_TOKEN=abc123', 'export ACCESS_TOKEN=«masked:secret»'],
  [`spring.datasource.password=${p}`, 'spring.datasource.password=«masked:password»'],
  ['DB_PASS=s3cret!#x', 'DB_PASS=«masked:password»'],
  [`password: ${p}`, 'password: «masked:password»'],
  [`const password = "${p}";`, 'const password = "«masked:password»";'],
  [`if (password === '${p}') {`, "if (password === '«masked:password»') {"],
  [`"client_secret": "${long}"`, '"client_secret": "«masked:secret»"'],
  [`client_secret = 'abc-${p}-xyz'`, "client_secret = '«masked:secret»'"],
  [`api_key: ${long}`, 'api_key: «masked:secret»'],
  [`//packages.example.org/:_authToken=${long}`, '//packages.example.org/:_authToken=«masked:secret»'],
  [`Server=db;User Id=sa;Password=${p};Encrypt=yes`, 'Server=db;User Id=sa;Password=«masked:password»;Encrypt=yes'],
  [
    `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${'Eby8vdM02xNOcqFlqUwJ'}${'PLlmEtlCDXJ1OUzFT50u'}==;EndpointSuffix=x`,
    'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=«masked:secret»;EndpointSuffix=x',
  ],
  [
    `https://a.blob.core.windows.net/c?sv=2024&sig=${long}%2B${long}%3D`,
    'https://a.blob.core.windows.net/c?sv=2024&sig=«masked:secret»',
  ],
  [`https://x.io/?access_token=${long}&page=2`, 'https://x.io/?access_token=«masked:secret»&page=2'],
  [
    `https://hooks.slack.com/services/${'T00000000'}/${'B00000000'}/${long}`,
    'https://hooks.slack.com/services/«masked:slack-webhook»',
  ],
  [
    `https://discord.com/api/webhooks/${'123456789012345678'}/${long}`,
    'https://discord.com/api/webhooks/«masked:discord-webhook»',
  ],
  [`<add key="ApiKey" value="${long}" />`, '<add key="ApiKey" value="«masked:secret»" />'],
  [`     3→DB_PASSWORD=${p}`, '     3→DB_PASSWORD=«masked:password»'],
  [`12:api_token: "${long}"`, '12:api_token: "«masked:secret»"'],
  [`+  "password": "${p}",`, '+  "password": "«masked:password»",'],
  [`The password is in the log: password="${p}"`, 'The password is in the log: password="«masked:password»"'],
  [`passphrase: "correct horse battery staple"`, 'passphrase: "«masked:password»"'],
  [
    `${'AKIA'}${'IOSFODNN7EXAMPLE'},${'wJalrXUtnFEMI/K7MDENG/'}${'bPxRfiCYEXAMPLEKEY'}`,
    '«masked:aws-key»,«masked:aws-secret»',
  ],
  [
    `aws_secret_access_key = ${'wJalrXUtnFEMI/K7MDENG/'}${'bPxRfiCYEXAMPLEKEY'}`,
    'aws_secret_access_key = «masked:secret»',
  ],
];

const pw = 'hun' + 'ter2abc';

const told: readonly (readonly [string, string])[] = [
  [`비밀번호: ${pw}`, '비밀번호: «masked:password»'],
  ['DB 비밀번호：sunshine', 'DB 비밀번호：«masked:password»'],
  [`관리자 비밀번호는 ${pw}입니다`, '관리자 비밀번호는 «masked:password»입니다'],
  ['암호: sunshine\n다음', '암호: «masked:password»\n다음'],
  [`API 키: ${long}`, 'API 키: «masked:secret»'],
  [`パスワード：${pw}`, 'パスワード：«masked:password»'],
  [`パスワードは「${pw}」です`, 'パスワードは「«masked:password»」です'],
  [`密码：${pw}`, '密码：«masked:password»'],
  [`密码是 ${pw}。`, '密码是 «masked:password»。'],
  [`"密钥": "${long}"`, '"密钥": "«masked:secret»"'],
  [`password＝${pw}`, 'password＝«masked:password»'],
  [`password：${pw}`, 'password：«masked:password»'],
  [`my password is ${pw}…`, 'my password is «masked:password»…'],
  [`the password is: ${pw}.`, 'the password is: «masked:password».'],
  [
    `The password for the staging db was ${pw}, I think`,
    'The password for the staging db was «masked:password», I think',
  ],
  [`please set the root password to "${pw}"`, 'please set the root password to "«masked:password»"'],
  [`The API key is \`${long}\`.`, 'The API key is `«masked:secret»`.'],
  [`our client secret is ${long}`, 'our client secret is «masked:secret»'],
  ['| DB_PASSWORD | swordfish |', '| DB_PASSWORD | «masked:password» |'],
  [`| \`api_key\` | \`${long}\` | yes |`, '| `api_key` | `«masked:secret»` | yes |'],
  [`| Password | ${pw} |`, '| Password | «masked:password» |'],
  ['args:["--password","swordfish"]', 'args:["--password","«masked:password»"]'],
  [`["--api-key", "${long}", "-v"]`, '["--api-key", "«masked:secret»", "-v"]'],
  ['setx PASSWORD swordfish', 'setx PASSWORD «masked:password»'],
  [`setx /M API_KEY "${long}"`, 'setx /M API_KEY "«masked:secret»"'],
  ['setenv DB_PASSWORD swordfish', 'setenv DB_PASSWORD «masked:password»'],
  [`set -gx API_TOKEN ${long}`, 'set -gx API_TOKEN «masked:secret»'],
  ['machine x login y password z9', 'machine x login y password «masked:password»'],
  ['default\n  login y\n  password zq', 'default\n  login y\n  password «masked:password»'],
  ['echo "machine x\\n login y\\n password zq\\n"', 'echo "machine x\\n login y\\n password «masked:password»\\n"'],
];

test.each(told)('MSK-1 %s', (text, masked) => {
  expect(maskText(text)).toBe(masked);
});

const cut = '\n[agent-mascot: 40961 bytes cut]\n';
const beginnings: readonly (readonly [string, string])[] = [
  ['gh' + 'p_ab', '«masked:github-token»'],
  ['github' + '_pat_11A', '«masked:github-token»'],
  ['ey' + 'JhbGciOi', '«masked:jwt»'],
  ['ey' + 'JhbGciOiJIUzI1NiJ9.ey' + 'Jz', '«masked:jwt»'],
  ['sk-' + 'ant-api', '«masked:anthropic-key»'],
  ['sk-' + 'proj-q8', '«masked:openai-key»'],
  ['AK' + 'IAIOSF', '«masked:aws-key»'],
  ['hv' + 's.CAES', '«masked:vault-token»'],
  ['S' + 'G.q8ZrT2', '«masked:sendgrid-key»'],
  ['np' + 'm_q8ZrT2mVx9Lk', '«masked:npm-token»'],
];

describe('MSK-1 beginnings of keys where the text was cut', () => {
  test.each(beginnings)('MSK-1 %s', (beginning, mask) => {
    expect(maskText(`using ${beginning}`)).toBe(`using ${mask}`);
    expect(maskText(`A=1\nx: "${beginning}${cut}tail`)).toBe(`A=1\nx: "${mask}${cut}tail`);
    expect(maskText(`\\n${beginning}${cut}`)).toBe(`\\n${mask}${cut}`);
  });

  test('MSK-1 a literal that the cut left open is masked as if it closed there', () => {
    expect(maskText(`"password": "swordf${cut}rest"`)).toBe(`"password": "«masked:password»${cut}rest"`);
  });
});

test.each(exact)('MSK-1 %s', (text, masked) => {
  expect(maskText(text)).toBe(masked);
});

describe('MSK-1 private keys', () => {
  const key = privateKey(random);
  const lines = key.split('\n');
  test.each([
    ['whole', key, '«masked:private-key»'],
    ['OpenSSH', privateKey(random, 'OPENSSH PRIVATE KEY'), '«masked:private-key»'],
    ['PGP', privateKey(random, 'PGP PRIVATE KEY BLOCK'), '«masked:private-key»'],
    ['among text', `before\n${key}\nafter`, 'before\n«masked:private-key»\nafter'],
    [
      'with escaped line ends',
      `{"private_key":"${key.replaceAll('\n', '\\n')}\\n"}`,
      '{"private_key":"«masked:private-key»\\n"}',
    ],
    ['cut at the end', lines.slice(0, 6).join('\n'), '«masked:private-key»'],
    ['cut at the beginning', lines.slice(5).join('\n'), '«masked:private-key»'],
    [
      'of a test, short',
      `${rule}BEGIN RSA PRIVATE KEY${rule}\nMIIEabc\n${rule}END RSA PRIVATE KEY${rule}`,
      '«masked:private-key»',
    ],
  ])('MSK-1 a private key %s', (_, text, masked) => {
    expect(maskText(text)).toBe(masked);
  });

  test.each([
    ['in a numbered listing', lines.map((line, index) => `${String(index + 1).padStart(6)}→${line}`).join('\n')],
    ['in a diff', lines.map((line) => `+${line}`).join('\n')],
    ['in concatenated literals', lines.map((line) => `  "${line}\\n" +`).join('\n')],
    [
      'cut, in a numbered listing',
      lines
        .slice(0, 7)
        .map((line, index) => `${String(index + 1).padStart(6)}→${line}`)
        .join('\n'),
    ],
  ])('MSK-1 a private key %s leaves no line', (_, text) => {
    const masked = maskText(text);
    expect(lines.slice(1, -1).filter((line) => masked.includes(line))).toEqual([]);
  });
});

const untouched: readonly string[] = [
  'password: string;',
  'TOKEN=parser,',
  'MAX_TOKEN=4096',
  'PASSWORD_FILE=/run/secrets/db',
  'SECRET=$(openssl rand -hex 16)',
  'token = getToken()',
  'const token = parser.next();',
  'const token = parser.next()',
  'this.token = token;',
  'password = form.password.value',
  'password: process.env.DB_PASSWORD,',
  'PASSWORD=${DB_PASSWORD}',
  'PASSWORD=$DB_PASSWORD',
  'API_KEY=<your-api-key>',
  'API_KEY=your-api-key-here',
  'api_key: YOUR_API_KEY',
  'password: changeme',
  'password: null',
  'password: true',
  'token: xxxxxxxxxxxxxxxxxxxx',
  'token: ${{ secrets.GITHUB_TOKEN }}',
  'Authorization: Bearer ${token}',
  'Authorization: Bearer <token>',
  'Authorization: `Bearer ${await getToken()}`',
  '"Authorization": "Bearer " + token',
  'https://user:password@example.com/',
  'https://${user}:${pass}@host/',
  'see https://example.com/@scope/name:1.0.0',
  'input type="password" name="password"',
  '<label for="password">Password</label>',
  `"password": "Password"`,
  'invalidPassword: "The password is wrong"',
  'const tokens = ["if", "else", "while"];',
  'integrity: sha512-' + 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJCrze8SNFY=',
  `"resolved": "https://packages.example.org/zod/-/zod-4.0.0.tgz"`,
  'commit 9fceb02d0ae598e95dc970b74767f19372d61af8',
  'id: 123e4567-e89b-42d3-a456-426614174000',
  'session_id: 123e4567-e89b-42d3-a456-426614174000',
  '/home/dev/.ssh/id_rsa',
  'cat .env',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
  '//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbXX0',
  'primaryKey: "user_id_2024_01"',
  'publicKeyToken="b77a5c561934e089"',
  'max_tokens: 4096',
  'nextPageToken: "CAUQAA12345678"',
  `const begin = '${rule}BEGIN PRIVATE KEY${rule}'; const end = '${rule}END PRIVATE KEY${rule}';`,
  `${rule}BEGIN CERTIFICATE${rule}\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n${rule}END CERTIFICATE${rule}`,
  'key: "Enter"',
  'git log -p --stat',
  'mkdir -p src/domain/mask',
  'node -p process.version',
  'foo(password=password, token=token)',
  'task-manager-list-of-things sk-learn-pipeline-transformers',
  '비밀번호: {0}',
  '비밀번호를 입력하세요: ',
  '비밀번호: 8자 이상',
  '암호: 필수',
  'パスワード：必須',
  '密码：请输入',
  'title: "비밀번호: " + value',
  'password is required',
  'The password is case-sensitive.',
  'the password is base64-encoded',
  'your password is 8-characters long',
  'the password is hashed with argon2id',
  'the token is argon2id',
  'function isOpen(token: Token): token is Es2015Token {',
  'set the password to process.env.DB2_PASSWORD',
  'the API key is <your-api-key-1>',
  'the API key is valid',
  'The secret is stored in config/app2.yaml',
  '| password | string | yes |',
  '| DB_PASSWORD | The password of the database |',
  '| password | varchar(255) |',
  'type Token = | Password2 | Token2 |',
  'a | password | b',
  'FOR_OBJECT_ON_TOKEN | P11_FOR_MODULE_2024_ANY,',
  '<p>The password is correct.&quot;</p>',
  'Is it that the password is incorrect?!',
  'const flags = ["--password", "--token", "-v"];',
  '["--password", "PASSWORD"]',
  'parser.add_argument("--password", "Password")',
  'setx PASSWORD %1',
  'set -e PASSWORD',
  'login and password are required',
  'enter your login name password reset',
  'gh' + 'p_',
  'keys begin with sk-' + 'ant-',
  'gh' + 'p_xxxx',
  'secret_name',
  'key_added',
  'npm_package_version',
  'pattern',
  'eyJ' + '2ZXJzaW9uIjozLCJ',
];

test.each(untouched)('MSK-2 unharmed: %s', (text) => {
  expect(maskText(text)).toBe(text);
});

/** Pieces that meet in every way: quotes left open, names without values, masks, markers, secrets. */
const fragment = fc.oneof(
  fc.constantFrom(
    ...[
      'password',
      '"',
      "'",
      '`',
      '=',
      ':',
      ' ',
      '\n',
      '\\n',
      '\\"',
      '\\',
      ';',
      '&',
      ',',
      '(',
      ')',
      '>',
      '<',
      '-p',
      '--token ',
      'Bearer ',
      '://',
      '@',
      '«masked:password»',
      '«',
      '»',
      'AA',
      '.',
      'x1y2z3w4v5',
      p,
      long,
      `${rule}BEGIN RSA PRIVATE KEY${rule}`,
      `${rule}END RSA PRIVATE KEY${rule}`,
      '*** Update File: .env',
      '+',
      'api_key',
      'Cookie: sid=',
      'Authorization',
      'eyJ',
      'value',
      'name: X_TOKEN',
      '비밀번호',
      '는 ',
      '：',
      '＝',
      'password is ',
      'set the password to ',
      '| DB_PASSWORD |',
      ' | ',
      'setx PASSWORD ',
      'machine x login y password ',
      '--password',
      '\n[agent-mascot: 9 bytes cut]\n',
      'gh' + 'p_ab',
      pw,
    ],
    ...tokens.map(({ secret }) => secret),
  ),
  fc.string({ maxLength: 6 }),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);
const text = fc.array(fragment, { maxLength: 30 }).map((pieces) => pieces.join(''));

test('MSK-1 masking twice is masking once, whatever the text', () => {
  fc.assert(
    fc.property(text, (given) => {
      const once = maskText(given);
      expect(maskText(once)).toBe(once);
    }),
    { numRuns: 3000 },
  );
});

test('MSK-1 a key that ends a cut command is masked as contents of a file at once, not only the second time', () => {
  const command = 'sk_live_1M5dqeVHlYjfAvXO2RXN0sdv-----END RSA PRIVATE KEY-----\n[agent-mascot: 9 bytes cut]\n';
  const once = maskPayload({ tool_input: [command] });
  expect(once).toEqual({ tool_input: ['«masked:file-content»\n[agent-mascot: 9 bytes cut]\n'] });
  expect(maskPayload(once)).toEqual(once);
});

test('MSK-1 masking a payload twice is masking it once, and changes neither it nor its shape', () => {
  const key = fc.oneof(
    fc.constantFrom(
      'tool_input',
      'tool_response',
      'command',
      'file_path',
      'content',
      'password',
      'env',
      '__proto__',
      'value',
      'name',
      'error',
    ),
    text,
  );
  const leaf = fc.oneof(
    text,
    fc.constantFrom('.env', 'cat .env', '/a/id_rsa', 'src/a.ts'),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  );
  const { node } = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('node'), { maxLength: 4 }),
      fc.dictionary(key, tie('node'), { maxKeys: 5 }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(key, node, { maxKeys: 6 }), (given) => {
      const payload = JSON.parse(JSON.stringify(given)) as Record<string, never>;
      const before = JSON.stringify(payload);
      const once = maskPayload(payload);
      expect(JSON.stringify(payload)).toBe(before);
      expect(Object.keys(once)).toHaveLength(Object.keys(payload).length);
      expect(JSON.stringify(maskPayload(once))).toBe(JSON.stringify(once));
    }),
    { numRuns: 1500 },
  );
});

test('MSK-1 a secret is masked beside every other secret', () => {
  const all = tokens.map(({ secret }) => secret);
  const masked = maskText(all.join('\n'));
  expect(all.filter((secret) => masked.includes(secret.slice(-20)))).toEqual([]);
});
