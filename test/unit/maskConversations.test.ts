import { expect, test } from 'vitest';
import { maskPayload, maskText } from '../../src/domain/mask/mask.ts';
import { chars, type Random, seeded } from '../../src/domain/mask/plant.testkit.ts';
import type { JsonObject } from '../../src/protocol/json.ts';

const seeds = [3, 17, 41, 71, 97];

interface Secrets {
  readonly password: string;
  readonly token: string;
  readonly hex: string;
}

function secretsFrom(random: Random): Secrets {
  return {
    password: `${chars(random, 'base62', 9)}!${chars(random, 'base62', 4)}`,
    token: chars(random, 'base62', 40),
    hex: chars(random, 'hex', 48),
  };
}

type Write = (secrets: Secrets) => string;

/** What people paste into a prompt, and what an agent repeats in its reply. */
const pasted: Readonly<Record<string, Write>> = {
  'a .env': ({ password, token, hex }) =>
    `here is my .env, why does it fail?\n\nPORT=3000\nDB_PASSWORD=${password}\nAPI_TOKEN=${token}\nSESSION_SECRET="${hex}"\nDEBUG=true`,
  'a .env in a fence': ({ password, token, hex }) =>
    `Look:\n\`\`\`dotenv\n# production\nexport DATABASE_PASSWORD='${password}'\nexport GITHUB_TOKEN=${token}\nJWT_SECRET=${hex}\n\`\`\`\nthanks`,
  'a .env in one line': ({ password, token, hex }) =>
    `run it with DB_PASSWORD=${password} API_TOKEN=${token} SESSION_SECRET=${hex} npm start`,
  'a quoted .env': ({ password, token, hex }) =>
    `> DB_PASSWORD=${password}\n> API_TOKEN=${token}\n> SESSION_SECRET=${hex}\n\nIs that right?`,
  'a list of settings': ({ password, token, hex }) =>
    `Use these:\n- DB_PASSWORD: ${password}\n- API_TOKEN: ${token}\n- \`SESSION_SECRET\`: \`${hex}\``,
  'a table of settings': ({ password, token, hex }) =>
    `| name | value |\n| --- | --- |\n| DB_PASSWORD | ${password} |\n| API_TOKEN | ${token} |\n| SESSION_SECRET | ${hex} |`,
  'a kubeconfig': ({ password, token, hex }) =>
    `apiVersion: v1\nkind: Config\nusers:\n- name: admin\n  user:\n    client-key-data: ${Buffer.from(hex + token).toString('base64')}\n    token: ${token}\n    password: ${password}\ncurrent-context: a # ${''}`,
  'a Kubernetes secret': ({ password, token, hex }) =>
    `apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\ntype: Opaque\nstringData:\n  password: "${password}"\n  api-token: ${token}\n  session_secret: ${hex}\n`,
  'an ini': ({ password, token, hex }) =>
    `[client]\nuser = root\npassword = ${password}\n\n[api]\ntoken = ${token}\nsecret_key=${hex}\n`,
  'a yaml': ({ password, token, hex }) =>
    `database:\n  host: db\n  password: ${password}\nauth:\n  api_token: '${token}'\n  jwt_secret: ${hex}\n`,
  'a json': ({ password, token, hex }) =>
    JSON.stringify({ db: { host: 'db', password }, auth: { apiToken: token, sessionSecret: hex } }, null, 2),
  'a toml': ({ password, token, hex }) =>
    `[db]\nhost = "db"\npassword = "${password}"\n[auth]\napi_token = "${token}"\nsecret_key = '${hex}'\n`,
  'Java properties': ({ password, token, hex }) =>
    `spring.datasource.password=${password}\napp.api.token=${token}\napp.jwt.secret=${hex}\n`,
  'a compose file': ({ password, token, hex }) =>
    `services:\n  db:\n    image: postgres\n    environment:\n      POSTGRES_PASSWORD: ${password}\n      - API_TOKEN=${token}\n      - SESSION_SECRET=${hex}\n`,
  'connection strings': ({ password, token, hex }) =>
    `postgres://app:${password}@db:5432/app and mongodb+srv://root:${token}@c0.mongodb.net/x and Server=tcp:db;User ID=sa;Password=${hex};Encrypt=True`,
  'redis and amqp': ({ password, token, hex }) =>
    `REDIS_URL=redis://:${password}@cache:6379/0\nBROKER=amqp://user:${token}@mq/vhost\nDSN=mysql://root:${hex}@127.0.0.1/app`,
  'a curl': ({ password, token, hex }) =>
    `curl -u admin:${password} -H "Authorization: Bearer ${token}" -H 'X-Api-Key: ${hex}' https://api.example.com`,
  'a sentence': ({ password, token, hex }) =>
    `The password is ${password} and my API token is ${token}; the client secret: ${hex}`,
  'an npmrc': ({ password, token, hex }) =>
    `//packages.example.com/:_authToken=${token}\n//r.example.com/:_password=${password}\n_auth=${hex}\n`,
  'a Terraform file': ({ password, token, hex }) =>
    `variable "x" {}\nresource "db" "main" {\n  password = "${password}"\n  api_token = "${token}"\n  client_secret = "${hex}"\n}`,
};

function missedIn(texts: readonly (readonly [title: string, masked: string, secrets: Secrets])[]): readonly string[] {
  return texts.flatMap(([title, masked, secrets]) =>
    Object.values(secrets)
      .filter((secret: string) => masked.includes(secret))
      .map((secret: string) => `${title}: ${secret} in ${masked.slice(0, 400)}`),
  );
}

test('MSK-1 secrets of configuration that is pasted into prompts and repeated in replies', () => {
  const planted = seeds.flatMap((seed) =>
    Object.entries(pasted).map(([title, write]) => {
      const secrets = secretsFrom(seeded(seed));
      return [title, maskText(write(secrets)), secrets] as const;
    }),
  );
  const missed = missedIn(planted);
  const count = planted.length * 3;
  console.log(`mask: pasted configuration, recall ${(1 - missed.length / count).toFixed(4)} over ${count}`);
  expect(missed.slice(0, 12)).toEqual([]);
});

const environment: Write = ({ password, token, hex }) =>
  `SHELL=/bin/bash\nPWD=/work\nDB_PASSWORD=${password}\nAPI_TOKEN=${token}\nSESSION_SECRET=${hex}\nLANG=C.UTF-8\n`;
const dotenv: Write = ({ password, token, hex }) => `PORT=1\nMAIL_PASS=${password}\nSTUFF=${token}\nTHING=${hex}\n`;
const patch =
  (file: string): Write =>
  ({ password, token, hex }) =>
    `diff --git a/${file} b/${file}\nindex 1..2 100644\n--- a/${file}\n+++ b/${file}\n@@ -1,3 +1,3 @@\n PORT=1\n-STUFF=${password}\n+STUFF=${token}\n THING=${hex}\n`;

/** Calls whose results hold secrets, by what they show. */
const calls: readonly (readonly [command: string, write: Write])[] = [
  ['cat .env', dotenv],
  ['cat ./config/.env.production', dotenv],
  ['head -5 .env.local && tail .env', dotenv],
  ['env', environment],
  ['env | sort', environment],
  ['printenv', environment],
  [
    'export -p',
    ({ password, token, hex }) =>
      `declare -x DB_PASSWORD="${password}"\ndeclare -x API_TOKEN="${token}"\ndeclare -x A_SECRET="${hex}"\n`,
  ],
  [
    'docker inspect app',
    ({ password, token, hex }) =>
      JSON.stringify(
        [{ Config: { Env: ['PATH=/bin', `DB_PASSWORD=${password}`, `API_TOKEN=${token}`, `APP_SECRET=${hex}`] } }],
        null,
        2,
      ),
  ],
  [
    'docker compose config',
    ({ password, token, hex }) =>
      `    environment:\n      DB_PASSWORD: ${password}\n      API_TOKEN: ${token}\n      APP_SECRET: ${hex}\n`,
  ],
  [
    'kubectl get secret app -o yaml',
    ({ password, token, hex }) =>
      `data:\n  password: ${Buffer.from(password).toString('base64')}\nstringData:\n  password: ${password}\n  token: ${token}\n  client-secret: ${hex}\n`,
  ],
  ['git diff .env', patch('.env')],
  ['git diff', patch('.env.production')],
  ['git show HEAD -- config/credentials.json', patch('config/credentials.json')],
  ['git log -p', patch('deploy/.env')],
  [
    'grep -rn . .',
    ({ password, token, hex }) =>
      `.env:1:STUFF=${password}\nsrc/a.ts:2:const a = 1;\n.env.local:3:THING=${token}\n./deploy/.env:9:MORE=${hex}\n`,
  ],
  [
    'rg STUFF',
    ({ password, token, hex }) => `.env\n1:STUFF_PASSWORD=${password}\n2:STUFF_TOKEN=${token}\n3:STUFF_SECRET=${hex}\n`,
  ],
  ['sed -n 1,20p .env', dotenv],
  [
    'base64 -d <<< x; cat ~/.aws/credentials',
    ({ password, token, hex }) =>
      `[default]\naws_access_key_id = AKIA\naws_secret_access_key = ${token}\nx = ${password}\ny = ${hex}\n`,
  ],
];

function shown(payload: JsonObject): string {
  return JSON.stringify(maskPayload(payload));
}

test('MSK-1 secrets in what commands print: environments, containers, patches, matches', () => {
  const planted = seeds.flatMap((seed) =>
    calls.map(([command, write]) => {
      const secrets = secretsFrom(seeded(seed));
      const tool_response = { stdout: write(secrets), stderr: '', interrupted: false };
      return [command, shown({ tool_name: 'Bash', tool_input: { command }, tool_response }), secrets] as const;
    }),
  );
  const missed = missedIn(planted);
  const count = planted.length * 3;
  console.log(`mask: what commands print, recall ${(1 - missed.length / count).toFixed(4)} over ${count}`);
  expect(missed.slice(0, 12)).toEqual([]);
});

const files = [
  '.env',
  '/work/.env.local',
  'config/prod.env',
  '.envrc',
  '/home/dev/.npmrc',
  'C:\\app\\.env',
  'secrets.yaml',
];

test.each(files)(
  'MSK-1 %s: what is read from it, written to it and changed in it is not kept, and the mask says so',
  (file) => {
    const secrets = secretsFrom(seeded(5));
    const content = dotenv(secrets);
    const lines = content.split('\n');
    const payloads: readonly JsonObject[] = [
      {
        tool_name: 'Read',
        tool_input: { file_path: file },
        tool_response: { type: 'text', file: { filePath: file, content, numLines: 4 } },
      },
      {
        tool_name: 'Write',
        tool_input: { file_path: file, content },
        tool_response: { filePath: file, content, structuredPatch: [{ lines }] },
      },
      {
        tool_name: 'Edit',
        tool_input: { file_path: file, old_string: lines[1] ?? '', new_string: lines[2] ?? '' },
        tool_response: { filePath: file, oldString: lines[1] ?? '', newString: lines[2] ?? '', originalFile: content },
      },
      { tool_name: 'Edit', tool_input: { file_path: file, old_string: lines[3] ?? '', new_string: 'x' } },
      {
        tool_name: 'MultiEdit',
        tool_input: { file_path: file, edits: [{ old_string: lines[1] ?? '', new_string: lines[2] ?? '' }] },
      },
      {
        tool_name: 'apply_patch',
        tool_input: {
          input: `*** Begin Patch\n*** Update File: ${file}\n@@\n-${lines[1]}\n+${lines[2]}\n*** End Patch\n`,
        },
      },
      {
        tool_name: 'apply_patch',
        tool_input: { input: `*** Begin Patch\n*** Add File: ${file}\n+${lines[1]}\n+${lines[3]}\n*** End Patch\n` },
      },
      {
        tool_name: 'Grep',
        tool_input: { pattern: '.', path: '.' },
        tool_response: {
          mode: 'content',
          content: `${file}:1:${lines[1]}\n${file}:2:${lines[2]}\nsrc/a.ts:1:const port = 1;`,
        },
      },
    ];
    const masked = payloads.map((payload) => [String(payload['tool_name']), shown(payload), secrets] as const);
    expect(missedIn(masked)).toEqual([]);
    for (const [tool, text] of masked) expect(text, tool).toMatch(/«masked:[a-z-]+»/);
    expect(masked[0]?.[1]).toContain('«masked:file-content»');
  },
);

test('MSK-1 what only speaks of configuration stays as it was', () => {
  const harmless = [
    'Please add DB_PASSWORD to the .env.example and document it.',
    'Set `API_TOKEN` in your environment; see docs/env.md.',
    'PORT=3000\nNODE_ENV=production\nLOG_LEVEL=debug\nHOST=0.0.0.0\nTZ=Europe/Berlin',
    'password: string;\ntoken?: string | undefined;\nconst secret = process.env.SECRET;',
    '.env.example:3:DB_PASSWORD=\nsrc/config.ts:9:  password: env.DB_PASSWORD,',
    'diff --git a/src/auth.ts b/src/auth.ts\n--- a/src/auth.ts\n+++ b/src/auth.ts\n@@ -1 +1 @@\n-const token = readToken();\n+const token = await readToken();',
    'DB_PASSWORD=${DB_PASSWORD}\nAPI_TOKEN=<your token>\nSECRET_KEY=changeme',
  ];
  expect(harmless.map(maskText)).toEqual(harmless);
});
