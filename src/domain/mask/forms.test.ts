import { describe, expect, test } from 'vitest';
import { maskPayload, maskText } from './mask.ts';
import { chars, seeded } from './plant.testkit.ts';

const random = seeded(31);
const hex = chars(random, 'hex', 32);
const long = chars(random, 'base62', 40);
const bytes = Array.from({ length: 64 }, () => Math.floor(random() * 256)).join(',');

/** A text with a blank where the secret is. */
const forms: readonly (readonly [text: string, secret: string])[] = [
  ['ADMIN_PASSWD: Final[str] = "___"', 'Ginkgo!5521'],
  ['password: str | None = "___"', 'Ginkgo!5521'],
  ['std::string password = "___";', 'Ginkgo!5521'],
  ['char password[] = "___";', 'Ginkgo!5521'],
  ["v_password VARCHAR2(30) := '___';", 'Ginkgo!5521'],
  ['Const sPassword As String = "___"', 'Ginkgo!5521'],
  ['public string ApiSecret { get; set; } = "___";', long],
  ['val storePass by lazy { "___" }', 'An6elica-Kelp'],
  ['var jwtKey = []byte("___")', 'brine-falcon-202'],
  ['DB_PASSWORD: str = Field(default="___")', 'Scoter.Sea8'],
  ['os.Setenv("Db_Passwd", "___")', 'letmein77'],
  ['password.set("___")', 'Dunlin.Wave4'],
  ['set(DEPLOY_PASSWORD "___")', 'Godwit-Mud-6'],
  ['@Value("${mail.password:___}")', 'R0wan*Inlet'],
  ['ks.load(in, "___".toCharArray());', 'jKs_magpie4'],
  ['Db_PassWord=___', 'Fulmar-Cliff-2'],
  ['with: { username: deploy, passphrase: "___" }', 'Quince Owl 19'],
  ['wpa_passphrase=___\nwpa_key_mgmt=WPA-PSK', 'whinchat hill 7'],
  ["printf '%s' '___' | gcloud secrets create smtp-pass --data-file=-", 'campion-Rail-63'],
  ['127.0.0.1:6379> AUTH ingest ___', 'stonechat_4K'],
  ['redis-cli CONFIG SET requirepass ___', 'goldcrest-Mint'],
  ['nmcli con modify x wifi-sec.psk "___"', 'Nightjar churr 7'],
  ['Authorization: Hawk id="dh37", ts="1", mac="___"', `${long}/=`],
  ['"Authorization", "Zoho-oauthtoken ___"', `1000.${hex}.${hex}`],
  ['cookies={"PHPSESSID": "___"}', 'ajrtf7kyu7n42qg2stkpe6moma'],
  ['GET /admin;jsessionid=___.node0', hex.toUpperCase()],
  ['https://app.acme.io/reset?reset_token=___', long],
  ['v4.local.___', long + long],
  ['POLAR=___', `polar_oat_${long}`],
  ['kind: Secret\nstringData:\n  relay: ___', 'Bunting-Cove-3'],
  ['auth-user-pass\nkim.lee\n___', 'Vp-Nightjar-61'],
  ['id.json: [___]', bytes],
  ['<machineKey validationKey="___" />', hex.toUpperCase()],
  ['<Pass encoding="base64">___</Pass>', 'U21ld19IYXJib3IxOQ=='],
  ['<Password><Value>___</Value></Password>', 'Phalarope6!'],
  ['password 51:b:___', hex.toUpperCase()],
  ['name,url,username,password,note\njira,https://a.io,kim@acme.io,___,', 'Whooper%Loch2'],
  ['"Title","Username","Password"\n"a, b","kim","___"', 'Dipper River 3'],
  ['# config/master.key\n___', hex],
  ['mongod.conf keyFile contents:\n___', long + long],
  ["[read_file for 'deploy/.env'] Result:\n1 | SALT=___", 'Sanicle.Copse.61'],
  ['==> /srv/.env <==\nSEED=___', 'fig.Tree.5'],
  ['<document path="/srv/.env">\nSEED=___\n</document>', 'plum.Tree.3'],
  ['```env .env\nSEED=___\n```', 'pear.Tree.9'],
];

describe('MSK-3 forms of assignments, commands, headers and files', () => {
  test.each(forms)('MSK-3 masks the secret of %j', (text, secret) => {
    expect(maskText(text.replace('___', () => secret))).not.toContain(secret);
  });
});

test('MSK-3 seals the output of a command that stands beside it as command_line', () => {
  const masked = maskPayload({ tool_info: { command_line: 'more id_ecdsa', output: 'one\ntwo' } });
  expect(masked).toEqual({ tool_info: { command_line: 'more id_ecdsa', output: '«masked:file-content»' } });
});

const untouched: readonly string[] = [
  'name,password,age\n1,2\n3,4',
  'foo(user, password, host)\nfoo(a, b, c)',
  '<file path="src/a.ts">\nconst a = 1;\n</file>',
  '==> src/a.ts <==\nconst a = 1;',
  '```ts src/a.ts\nconst a = 1;\n```',
  'const zigzag = [0,1,8,16,9,2,3,10,17,24,32,25,18,11,4,5,12,19,26,33,40,48,41,34,27,20,13,6,7,14,21,28,35,42,49,56,57,50,43,36,29,22,15,23,30,37,44,51,58,59,52,45,38,31,39,46,53,60,61,54,47,55,62,63];',
  '# .env\n.env.local\n*.pem',
  'password: "Enter at least 8 characters"',
  'msg_01A9B8C7D6E5F4G3H2I1J0K9 call_9aZ8bY7cX6dW5eV4fU3gT2hS',
  'version = "1.2.3-beta.20240101abc"',
  'resetToken: string;',
  '"abc def".toCharArray()',
];

test.each(untouched)('MSK-2 leaves %j as it is', (text) => {
  expect(maskText(text)).toBe(text);
});

test('MSK-3 masks the private part of a JSON web key that is an object', () => {
  expect(maskPayload({ kty: 'EC', x: long, d: long })).toEqual({ kty: 'EC', x: long, d: '«masked:secret»' });
});
