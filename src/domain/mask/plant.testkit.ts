/** A small seeded generator, so that the same secrets are planted in every run. */
export type Random = () => number;

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const digits = '0123456789';
const lower = 'abcdefghijklmnopqrstuvwxyz';
const upper = lower.toUpperCase();
export const alphabets = {
  hex: `${digits}abcdef`,
  base36: digits + lower,
  upper36: digits + upper,
  base62: digits + lower + upper,
  base64: `${digits}${lower}${upper}+/`,
  url64: `${digits}${lower}${upper}-_`,
} as const;

export function chars(random: Random, alphabet: keyof typeof alphabets, length: number): string {
  const from = alphabets[alphabet];
  return Array.from({ length }, () => from.charAt(Math.floor(random() * from.length))).join('');
}

type Part = string | readonly [keyof typeof alphabets, number];

/** Beginnings are split, so that no scanner takes this table for a leak. */
const tokenForms: Readonly<Record<string, readonly Part[]>> = {
  'anthropic-key': ['sk-', 'ant-', 'api03-', ['url64', 93], 'AA'],
  'openai-key': ['sk-', ['base62', 20], 'T3Blbk', 'FJ', ['base62', 20]],
  'openai-key project': ['sk-', 'proj-', ['url64', 74]],
  'openrouter-key': ['sk-', 'or-', 'v1-', ['hex', 64]],
  'google-key': ['AI', 'za', ['url64', 35]],
  'google-secret': ['GOC', 'SPX-', ['url64', 28]],
  'google-token': ['ya', '29.', ['url64', 120]],
  'aws-key': ['AK', 'IA', ['upper36', 16]],
  'github-token': ['gh', 'p_', ['base62', 36]],
  'github-token server': ['gh', 's_', ['base62', 36]],
  'github-token fine-grained': ['github', '_pat_', ['base62', 22], '_', ['base62', 59]],
  'gitlab-token': ['gl', 'pat-', ['url64', 20]],
  'slack-token': ['xo', 'xb-', '123456789012-', '1234567890123-', ['base62', 24]],
  'stripe-key': ['sk', '_live_', ['base62', 24]],
  'stripe-key restricted': ['rk', '_live_', ['base62', 24]],
  'webhook-secret': ['wh', 'sec_', ['base62', 32]],
  'twilio-key': ['S', 'K', ['hex', 32]],
  'sendgrid-key': ['S', 'G.', ['url64', 22], '.', ['url64', 43]],
  'npm-token': ['np', 'm_', ['base62', 36]],
  'pypi-token': ['py', 'pi-', 'AgEIcHlwaS5vcmc', ['url64', 70]],
  'huggingface-token': ['h', 'f_', ['base62', 34]],
  'digitalocean-token': ['do', 'p_v1_', ['hex', 64]],
  'shopify-token': ['sh', 'pat_', ['hex', 32]],
  'telegram-token': ['1234567890', ':A', 'A', ['url64', 33]],
  'databricks-token': ['da', 'pi', ['hex', 32]],
  'vault-token': ['hv', 's.', ['url64', 90]],
  'doppler-token': ['dp', '.pt.', ['base62', 43]],
  'linear-key': ['lin', '_api_', ['base62', 40]],
  'notion-token': ['nt', 'n_', ['base62', 46]],
  'sentry-token': ['sn', 'trys_', ['url64', 80]],
  'mailgun-key': ['ke', 'y-', ['hex', 32]],
  'mailchimp-key': [['hex', 32], '-us', '14'],
  'heroku-key': ['HR', 'KU-', ['url64', 60]],
  'supabase-key': ['sb', 'p_', ['hex', 40]],
  'groq-key': ['gs', 'k_', ['base62', 52]],
  'xai-key': ['xa', 'i-', ['base62', 80]],
  'replicate-token': ['r', '8_', ['base62', 37]],
  'perplexity-key': ['pp', 'lx-', ['base62', 48]],
  'cloudflare-token': ['cf', 'ut_', ['base62', 40]],
  'planetscale-token': ['ps', 'cale_tkn_', ['url64', 43]],
  'netlify-token': ['nf', 'p_', ['base62', 36]],
  'newrelic-key': ['NR', 'AK-', ['upper36', 27]],
  'grafana-token': ['gl', 'sa_', ['base62', 32], '_', ['hex', 8]],
  'pulumi-token': ['pu', 'l-', ['hex', 40]],
  'atlassian-token': ['AT', 'ATT3', ['url64', 180]],
  'docker-token': ['dc', 'kr_pat_', ['url64', 27]],
  'postman-key': ['PM', 'AK-', ['hex', 24], '-', ['hex', 34]],
  'airtable-token': ['pa', 't', ['base62', 14], '.', ['hex', 64]],
  'discord-token': ['MTIzNDU2Nzg5MDEyMzQ1Njc4', '.', 'G', ['base62', 5], '.', ['url64', 38]],
  'resend-key': ['r', 'e_', ['base62', 8], '_', ['base62', 24]],
  'tailscale-key': ['ts', 'key-auth-', ['base62', 12], '-', ['base62', 32]],
  'age-key': ['AGE', '-SECRET-', 'KEY-1', ['upper36', 58]],
  jwt: ['ey', 'JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9', '.ey', 'JzdWIiOiIxMjM0NTY3ODkwIn0', '.', ['url64', 43]],
};

export interface PlantedToken {
  /** The kind, without what tells its variants apart. */
  readonly kind: string;
  readonly title: string;
  readonly secret: string;
}

export function plantTokens(random: Random): readonly PlantedToken[] {
  return Object.entries(tokenForms).map(([title, parts]) => ({
    kind: title.split(' ')[0] ?? title,
    title,
    secret: parts.map((part) => (typeof part === 'string' ? part : chars(random, part[0], part[1]))).join(''),
  }));
}

/** Secrets that only their name gives away. */
export function plantValues(random: Random): readonly { readonly name: string; readonly secret: string }[] {
  return [
    { name: 'AWS_SECRET_ACCESS_KEY', secret: chars(random, 'base64', 40) },
    { name: 'TWILIO_AUTH_TOKEN', secret: chars(random, 'hex', 32) },
    { name: 'HEROKU_API_KEY', secret: `${chars(random, 'hex', 8)}-4a1b-4c2d-8e3f-${chars(random, 'hex', 12)}` },
    { name: 'CLOUDFLARE_API_TOKEN', secret: chars(random, 'url64', 40).replace(/^[-_]/, 'a') },
    { name: 'DATADOG_API_KEY', secret: chars(random, 'hex', 32) },
    { name: 'AZURE_CLIENT_SECRET', secret: chars(random, 'base62', 34) },
    { name: 'AZURE_STORAGE_ACCOUNT_KEY', secret: `${chars(random, 'base64', 86)}==` },
    { name: 'JWT_SECRET', secret: chars(random, 'base62', 32) },
    { name: 'SECRET_KEY_BASE', secret: chars(random, 'hex', 128) },
    { name: 'SESSION_SECRET', secret: chars(random, 'base36', 24) },
    { name: 'ENCRYPTION_KEY', secret: `${chars(random, 'base64', 43)}=` },
    { name: 'DB_PASSWORD', secret: `Tr0ub4dor&${chars(random, 'base62', 3)}` },
    { name: 'POSTGRES_PASSWORD', secret: `hunter2${chars(random, 'base36', 4)}` },
    { name: 'REDIS_PASSWORD', secret: chars(random, 'base62', 16) },
    { name: 'SMTP_PASS', secret: `S3cure!${chars(random, 'base62', 6)}` },
    { name: 'API_KEY', secret: chars(random, 'base62', 24) },
    { name: 'ACCESS_TOKEN', secret: chars(random, 'url64', 48).replace(/^[-_]/, 'b') },
    { name: 'OAUTH_CLIENT_SECRET', secret: chars(random, 'base62', 32) },
    { name: 'MISTRAL_API_KEY', secret: chars(random, 'base62', 32) },
    { name: 'WANDB_API_KEY', secret: chars(random, 'hex', 40) },
  ];
}

export function privateKey(random: Random, title = 'RSA PRIVATE KEY', lines = 12): string {
  const body = Array.from({ length: lines }, () => chars(random, 'base64', 64));
  const rule = '-'.repeat(5);
  return [
    `${rule}BEGIN ${title}${rule}`,
    ...body,
    `${chars(random, 'base64', 30)}==`,
    `${rule}END ${title}${rule}`,
  ].join('\n');
}

export interface Context {
  readonly title: string;
  readonly write: (secret: string) => string;
}

/** Where any key may turn up, with nothing around that calls it one. */
export const bareContexts: readonly Context[] = [
  { title: 'alone', write: (s) => s },
  { title: 'log line', write: (s) => `2026-11-18T10:00:00.000Z INFO using ${s} for upstream` },
  { title: 'code', write: (s) => `const client = new Client("${s}", { retries: 3 });` },
  { title: 'json', write: (s) => JSON.stringify({ a: 1, value: s, list: [s] }) },
  { title: 'json in json', write: (s) => JSON.stringify({ body: JSON.stringify({ x: s }) }) },
  { title: 'yaml', write: (s) => `env:\n  - name: X\n    thing: ${s}\n` },
  { title: 'url', write: (s) => `GET https://api.example.com/v1/items?limit=3&x=${s} 200` },
  { title: 'header', write: (s) => `curl -H "X-Custom: ${s}" https://example.com` },
  { title: 'escaped lines', write: (s) => `"first\\n${s}\\nlast"` },
  { title: 'markdown', write: (s) => `Use \`${s}\` as the key.` },
  { title: 'coloured', write: (s) => `\u001b[32m${s}\u001b[0m` },
  { title: 'multi-line', write: (s) => `# settings\n\nfirst\n  ${s}\nlast\n` },
];

function camel(name: string): string {
  return name.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Where a name says that its value is secret. */
export const namedContexts: readonly {
  readonly title: string;
  readonly write: (name: string, secret: string) => string;
}[] = [
  { title: 'env file', write: (n, s) => `NODE_ENV=production\n${n}=${s}\nPORT=3000` },
  { title: 'env file, quoted', write: (n, s) => `${n}="${s}"` },
  { title: 'export', write: (n, s) => `export ${n}='${s}'` },
  { title: 'yaml', write: (n, s) => `app:\n  ${n.toLowerCase()}: ${s}\n  port: 80` },
  { title: 'yaml, quoted', write: (n, s) => `app:\n  ${camel(n)}: "${s}"\n` },
  { title: 'json', write: (n, s) => JSON.stringify({ host: 'db', [n.toLowerCase()]: s }, null, 2) },
  { title: 'json in json', write: (n, s) => JSON.stringify({ body: JSON.stringify({ [camel(n)]: s }) }) },
  { title: 'toml', write: (n, s) => `[service]\n${n.toLowerCase()} = "${s}"` },
  { title: 'ini', write: (n, s) => `[default]\n${n.toLowerCase()} = ${s}\nregion = eu` },
  { title: 'python', write: (n, s) => `    ${n.toLowerCase()} = '${s}'  # rotate` },
  { title: 'python environ', write: (n, s) => `os.environ["${n}"] = "${s}"` },
  { title: 'typescript', write: (n, s) => `export const ${camel(n)}: string = '${s}';` },
  { title: 'fallback', write: (n, s) => `const ${camel(n)} = process.env.${n} || '${s}';` },
  { title: 'object', write: (n, s) => `  { ${camel(n)}: '${s}', retries: 2 },` },
  { title: 'call', write: (n, s) => `config.set("${n.toLowerCase()}", "${s}");` },
  { title: 'shell prefix', write: (n, s) => `${n}=${s} npm start` },
  { title: 'docker', write: (n, s) => `docker run -e ${n}=${s} image` },
  { title: 'flag', write: (n, s) => `tool --${n.toLowerCase().replaceAll('_', '-')} '${s}' --verbose` },
  { title: 'flag with =', write: (n, s) => `tool --${n.toLowerCase().replaceAll('_', '-')}=${s} run` },
  { title: 'kubernetes', write: (n, s) => `        - name: ${n}\n          value: "${s}"\n` },
  { title: 'xml', write: (n, s) => `<settings><${camel(n)}>${s.replaceAll('&', 'n')}</${camel(n)}></settings>` },
  { title: 'table', write: (n, s) => `| Name | Value |\n| --- | --- |\n| \`${n}\` | ${s} |\n` },
  {
    title: 'arguments',
    write: (n, s) => JSON.stringify(['run', `--${n.toLowerCase().replaceAll('_', '-')}`, s, '-v']),
  },
  { title: 'setx', write: (n, s) => `setx ${n} ${s}` },
  { title: 'full-width colon', write: (n, s) => `${n.toLowerCase()}：${s}` },
  { title: 'full-width equals sign', write: (n, s) => `${n}＝${s}\n` },
  { title: 'told', write: (n, s) => `Please deploy it. The ${n} is ${s}, thanks.` },
  { title: 'log', write: (n, s) => `[debug] connecting with ${n.toLowerCase()}="${s}" to db` },
];
