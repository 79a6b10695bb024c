import { looksChosen, looksRandom } from './entropy.ts';
import { judge } from './judge.ts';
import { keywordTable } from './keywords.ts';
import { isPlaceholder } from './placeholders.ts';
import type { Span } from './span.ts';
import { looksLikeSecret, looksSaid } from './spoken.ts';
import { tokenKind } from './tokens.ts';

/** When a place holds a secret: always (`sure`), if the value looks like a password (`likely`) or random, or judged like a literal in code. */
type Certainty = 'sure' | 'likely' | 'random' | 'literal';

interface Usage {
  /** Matched against the text after the word; the group that matched is the secret. */
  readonly pattern: RegExp;
  readonly certainty: Certainty;
  /** Must match the text before the word. */
  readonly before: RegExp | undefined;
  /** The pattern may look past the end of the command: a pipe, a call's arguments. */
  readonly wide: boolean;
}

const raw = String.raw.bind(String);

/** An argument: quoted, or up to a blank or an operator. */
const argument = raw`\\?(?:"([^"\n\\]{3,200})|'([^'\n\\]{3,200})|([^\s"'\\;|&<>()` + '`' + raw`]{3,200}))`;
const gap = raw`(?:[ \t]+|["'],[ \t]*)`;

/** In a pattern `~V` is an argument, `~_` what parts it from its flag, `~s` blanks; `(?i)` in front ignores case. */
function usage(text: string, certainty: Certainty, before?: RegExp, wide = false): Usage {
  const ignoring = text.startsWith('(?i)');
  const source = text
    .slice(ignoring ? 4 : 0)
    .replaceAll('~V', argument)
    .replaceAll('~_', gap)
    .replaceAll('~s', '[ \\t]+');
  const pattern = new RegExp(source, ignoring ? 'gi' : 'g');
  return { pattern, certainty, before, wide };
}

/** `-p X`, and the same letter behind others: `-xp X`. */
function flag(letters: string, certainty: Certainty = 'sure'): Usage {
  return usage(raw`(?:^|[\s"'])-[A-Za-z]{0,4}[${letters}]~_(?!-)~V`, certainty);
}

function glued(letters: string): Usage {
  return usage(raw`(?:^|[\s"'])-(?:${letters})(?![a-z]*-)~V`, 'sure');
}

function login(letters: string): Usage {
  return usage(raw`(?:^|\s)login\b.{0,200}?\s-[${letters}]~_~V`, 'sure');
}

/** `user<mark>secret` behind flags. */
function pair(flags: string, mark: string): Usage {
  return usage(
    raw`(?:^|[\s"'])(?:${flags})(?:~_|=)?\\?["']?[^\s"'${mark}]{0,80}${mark}["']?([^\s"'\\|;&]{2,200})`,
    'sure',
  );
}

const piped = raw`(?:-\w+~s|\\?["']%s(?:\\n)?\\?["']~s){0,2}`;
const takers =
  '(?:npx |bunx )?(?:[\\w-]+ login|sudo\\b.{0,20} -\\w*S|.{0,90}--(?:password|passphrase|token|pass|with|api-key)-?(?:stdin|token|fd|key)|passwd\\b.{0,40}--stdin|kinit|cryptsetup|wrangler secret|gh secret|smbpasswd|su\\b|vncpasswd|ssh-add|az devops login|fly secrets|flyctl secrets|vercel env|docker secret|podman secret|pass insert|.{0,90}--(?:data|secret|value|body|from|env)-?(?:file|string)?[ =]-(?![\\w-])|.{0,60}=/dev/stdin|.{0,60}=-(?![\\w-])|\\w+ secrets? (?:set|put|create|add)|firebase functions:secrets|secret-tool store|htpasswd|mosquitto_passwd|slappasswd|mkpasswd|openssl passwd|ansible-vault encrypt_string|pulumi config set|sudo\\b.{0,20} chpasswd)';

/** A call's arguments up to the one that is the secret. */
function call(before: number, certainty: Certainty = 'literal', owner?: RegExp): Usage {
  const other = raw`[^,()\n]{1,200}(?:\([^()\n]{0,80}\))?,\s{0,80}`;
  return usage(
    raw`^(?:=|:\s)?\s?\(\s{0,80}(?:${other}){${String(before)}}\\?["'](?:([^"'\n\\]{4,200}))`,
    certainty,
    owner,
    true,
  );
}

const usages: readonly (readonly [string, readonly Usage[]])[] = [
  ['mysql mysqldump mysqladmin mysqlimport mysqlsh mariadb mariadb-dump mariadb-admin', [glued('p')]],
  ['mysqladmin', [usage(raw`\spassword~_~V`, 'sure')]],
  ['sshpass', [glued('p'), flag('p')]],
  ['7z 7za 7zz rar unrar', [glued('h?p')]],
  ['zip unzip zipcloak', [flag('P')]],
  ['sqlcmd bcp tsql mssql-cli ipmitool mosquitto_pub mosquitto_sub', [flag('P'), glued('P')]],
  [
    'mongo mongosh mongodump mongorestore mongoimport mongoexport twine ncftp cqlsh cypher-shell rabbitmqadmin rdesktop evil-winrm psexec psexec.exe ' +
      'crackmapexec netexec nxc supabase asadmin beeline sqlline doveadm steghide aescrypt veracrypt certutil osql altool useradd usermod unlock-keychain influx gobuster hydra medusa snowsql bteq impala-shell vsql nzsql',
    [flag('p')],
  ],
  ['az', [flag('p', 'likely')]],
  ['docker podman nerdctl buildah skopeo crane oras helm oc az regctl harbor', [login('p')]],
  ['smbclient smbget rpcclient winexe smbmap net', [pair('-U', '%')]],
  ['ldapsearch ldapadd ldapmodify ldapwhoami ldapdelete ldapmodrdn ldapcompare ldappasswd', [flag('w')]],
  ['smbclient', [usage(raw`^~s\\?["']?//\S+~s(?!-)~V`, 'likely')]],
  ['ldappasswd', [flag('sa')]],
  ['redis-cli keydb-cli valkey-cli', [flag('a'), usage('--pass~_~V', 'sure')]],
  ['snmpwalk snmpget snmpset snmpgetnext snmpbulkwalk snmpbulkget snmptrap', [flag('A'), flag('X')]],
  ['add-generic-password add-internet-password', [flag('w')]],
  [
    'openssl',
    [
      usage(raw`\spasswd(?:~s-\w+)*~s(?!-)~V`, 'likely'),
      usage(raw`\s-pass(?:in|out)?~_\\?["']?pass:~V`, 'sure'),
      flag('k', 'likely'),
      flag('K'),
    ],
  ],
  ['apksigner', [usage(raw`pass~spass:~V`, 'sure')]],
  ['ssh-keygen', [flag('N'), flag('P')]],
  ['security', [usage(raw`\bimport\b.*\s-P~_~V`, 'sure')]],
  ['signtool schtasks', [usage(raw`\s/r?p~s~V`, 'sure')]],
  ['xfreerdp wlfreerdp mstsc', [usage(raw`\s/p:~V`, 'sure')]],
  [
    'curl',
    [
      pair('-[A-Za-z]{0,5}u|--user|--proxy-user', ':'),
      usage(raw`\s(?:-b|--cookie)~_~V`, 'likely'),
      usage(raw`\s(?:-u|--user)[ =]\\?["']?([^\s"':\\]{20,200})(?::\w{0,10})?(?=[\s"'\\]|$)`, 'random'),
    ],
  ],
  ['http https xh httpie', [pair('-a|--auth', ':')]],
  ['etcdctl', [pair('user add|--user', ':')]],
  ['lftp', [pair('-u', ',')]],
  ['wget lwp-request', [pair('-u|-C', ':')]],
  ['jenkins-cli.jar jar', [pair('-auth', ':')]],
  [
    'sqlplus sqlldr expdp impdp exp imp rman sqlcl',
    [usage(raw`\s[\w$#]{1,40}/(?![/\s])\\?["']?([^\s@"'\\/]{3,60})(?=@|\s|["']|$)`, 'sure')],
  ],
  [
    'htpasswd mosquitto_passwd',
    [
      usage(raw`^~s-\w*(?:nb|bn)\w*~s\S+~s~V`, 'sure'),
      usage(raw`^~s(?:-\w+~s){0,4}-\w*b\w*~s(?:-\w+~s){0,4}[^\s-]\S*~s[^\s-]\S*~s~V`, 'sure'),
    ],
  ],
  ['rabbitmqctl', [usage(raw`(?:add_user|change_password|authenticate_user)~s\S+~s~V`, 'sure')]],
  [
    'net',
    [
      usage(raw`^~suser~s[^\s/]+~s(?!/)~V`, 'sure'),
      usage(raw`^~suse\b.*/user:\S+~s(?!/)~V`, 'sure'),
      usage(raw`^~suse~s(?:\w:~s)?\\\\\S+~s(?!/)~V`, 'sure'),
    ],
  ],
  ['isql', [usage(raw`(?:~s-\w+)*~s[^\s-]\S*~s[^\s-]\S*~s~V`, 'likely')]],
  ['wpa_passphrase', [usage(raw`^~s\S+~s~V`, 'sure')]],
  ['nmcli', [usage(raw`\s(?:password|[\w.-]{1,40}\.(?:psk|password|wep-key\d))~s~V`, 'sure')]],
  ['mc', [usage(raw`^~s(?:alias|config host)~s(?:set|add)~s\S+~s\S+~s\S+~s~V`, 'sure')]],
  ['bw', [usage(raw`^~s(?:unlock|login~s\S+@\S+)~s(?:--?\w+~s){0,3}(?!-)~V`, 'sure')]],
  ['rclone', [usage(raw`\sobscure~s~V`, 'sure'), usage(raw`\sconfig\b.*\spass[ =]~V`, 'sure')]],
  ['login auth authenticate authorize', [usage(raw`^~s(?:[\w-]+~s)?~V[ \t]*$`, 'random')]],
  ['sign verify encode decode', [call(1, 'literal', /(?:jwt|jws|jsonwebtoken)\.$/i)]],
  ['hash-password', [usage(raw`\s(?:-p|--plaintext)[ =]~V`, 'sure')]],
  ['plink pscp psftp putty', [usage(raw`\s-pw~_~V`, 'sure')]],
  ['unseal', [usage(raw`^~s~V`, 'random')]],
  ['dscl', [usage(raw`-passwd~s\S+~s~V`, 'sure')]],
  ['admin root administrator guest tester', [usage(raw`^ / (?=[^\s"'/]{0,40}[!@#$%^&*])([^\s"'/]{6,40})`, 'likely')]],
  ['bundle', [usage(raw`\sconfig\b.*\s[\w.-]{1,40}:~V`, 'likely')]],
  ['changeuserpassword', [call(1)]],
  ['cookieparser', [call(0, 'likely')]],
  ['snyk', [usage(raw`^~sauth~s~V`, 'likely')]],
  ['cargo', [usage(raw`^~slogin~s~V`, 'likely')]],
  ['ngrok', [usage(raw`authtoken~s~V`, 'likely')]],
  ['vercel now', [usage(raw`\s-t~s~V`, 'likely')]],
  ['netlify', [usage(raw`\s(?:--auth|-a)[ =]~V`, 'likely')]],
  ['doctl', [usage(raw`\s-t~s~V`, 'likely')]],
  ['nuget dotnet', [usage(raw`\s(?:-k|setApiKey)~s~V`, 'likely')]],
  ['gh', [usage(raw`^~ssecret~sset\b.*\s(?:--body|-b)[ =]~V`, 'sure')]],
  [
    'aws',
    [
      usage(raw`(?:SecureString\b.*--value|--secret-string)[ =]~V`, 'sure'),
      usage(raw`configure~sset~s\S*(?:secret|token)\S*~s~V`, 'sure'),
    ],
  ],
  ['put-parameter', [usage(raw`--value[ =]~V(?=.*SecureString)`, 'sure')]],
  ['az', [usage(raw`keyvault~ssecret~sset\b.*--value[ =]~V`, 'sure')]],
  ['consul etcdctl', [usage(raw`(?i)\sput~s\S*(?:pass|pwd|secret|token|key)\w*~s~V`, 'likely')]],
  [
    'netlify doppler railway poetry npm yarn pnpm composer bundle git',
    [
      usage(
        raw`(?i)(?:env:set|config|set|config~sset)~s(?:--\S+~s)?\S*(?:password|passwd|secret|token|http-basic\.\S+~s|_password|_auth)\S*~s~V`,
        'likely',
      ),
    ],
  ],
  [
    'vncpasswd cryptsetup wrangler openconnect pass vercel gh chpasswd fly smbpasswd sudo docker kinit',
    [usage(raw`<<<[ \t]*~V`, 'sure')],
  ],
  [
    'echo printf',
    [
      // `echo -e "x\nx" | passwd` answers a program that asks twice.
      usage(raw`^~s(?:-\w+~s)?\\?["'](([^"'\\\s]{4,80})\\+n\2)`, 'sure', undefined, true),
      usage(
        raw`^~s${piped}\\?["']?[\w.-]{1,40}:([^\s"':\\|]{3,80})\\?["']?[ \t]*\|[ \t]*(?:sudo~s)?chpasswd`,
        'sure',
        undefined,
        true,
      ),
      usage(raw`^~s${piped}~V\\?["']?[ \t]*\|[ \t]*${takers}`, 'sure', undefined, true),
      usage(raw`^~s${piped}~V\\?["']?[ \t]*>>?[ \t]*\S*(?:\.key|\.pem|secret|token|passw)`, 'random'),
      usage(raw`^~s~V(?=\\?["']?\))`, 'likely', /(?:password|pass|auth|token|key|secret)[\w-]{0,20}[ =]<\($/i),
      usage(raw`^~s~V`, 'likely', /-command[ =]\\?["']$/),
      usage(raw`^~s~V(?=\\?["']?\))`, 'likely', /(?:password|private-key|preshared-key)[ =]<\($/),
    ],
  ],
  ['send', [usage(raw`^~s(?:--~s)?\\?["']([^"'\\$\s]{4,80})\\+[rn]`, 'likely', undefined, true)]],
  ['--from-literal from-literal', [usage(raw`^=[\w.-]{1,80}=~V`, 'likely')]],
  [
    'impacket-psexec impacket-wmiexec impacket-smbexec impacket-secretsdump secretsdump psexec wmiexec smbexec mssqlclient',
    [usage(raw`\s(?:[\w.-]{1,60}/)?[\w.-]{1,60}:([^\s@"']{3,80})@`, 'sure')],
  ],
  ['netsh', [usage(raw`\skey=~V`, 'sure')]],
  ['qpdf', [usage(raw`\s--encrypt~s~V`, 'likely')]],
  ['mutool', [flag('p')]],
  ['password passwd pwd pass', [usage(raw`^[ \t]*<-[ \t]*["']([^"'\n\\]{3,200})`, 'literal', undefined, true)]],
  ['of create', [usage(raw`^\(["']([^"'\n\\]{3,200})`, 'literal', /(?:password|securestring)\.$/i, true)]],
  ['input_pw user_pw owner_pw', [usage(raw`^~s~V`, 'sure')]],
  ['pdftotext pdftoppm', [usage(raw`\s-[uo]pw~s~V`, 'sure')]],
  ['requirepass masterauth', [usage(raw`^~s(?!<)~V`, 'sure')]],
  ['auth', [usage(raw`^~s(?:[\w.-]{1,40}~s)?~V[ \t]*$`, 'likely', /(?:^|[\n>"'])[ \t]*$/)]],
  [
    'by',
    [
      usage(raw`^~s(?:PASSWORD~s)?\\?["']([^"'\n\\]{3,200})`, 'sure', /identified(?: with \w+)? $/i),
      usage(raw`^~s~V`, 'likely', /identified $/i),
    ],
  ],
  [
    'password',
    [
      usage(raw`(?i)^~sfor\b[^=;\n]{1,80}=\s?\\?'([^'\n\\]{3,200})`, 'literal', /\bset $/i),
      usage(
        raw`^~s(?:=[ \t]*)?\\?'([^'\n\\]{3,200})`,
        'literal',
        /(?:^|[\s"])(?:with|encrypted|login|superuser|user \S{1,60}|role \S{1,60}) $/i,
      ),
    ],
  ],
  ['rootpw', [usage(raw`^~s(?:--?\w+~s){0,2}(?!-)~V`, 'sure')]],
  ['rocommunity rwcommunity', [usage(raw`^~s~V`, 'likely')]],
  ['secret password', [usage(raw`^~s[0-9]~s~V`, 'likely', /(?:enable|username \S{1,60}|privilege \d+) $/)]],
  ['psk', [usage(raw`^~s\\?["']([^"'\n\\]{4,200})`, 'sure', /:[ \t]*$/)]],
  [
    'set',
    [
      usage(
        raw`^\(\w{0,40}(?:PASSWORD|PASSWD|SECRET|TOKEN|API_KEY)\s{1,4}"([^"\n]{3,200})`,
        'literal',
        undefined,
        true,
      ),
    ],
  ],
  ['storepassword keypassword', [usage(raw`^~s\\?["']([^"'\n\\]{3,200})`, 'literal')]],
  ['convertto-securestring', [usage(raw`^(?:~s-\w{1,20}){0,4}~s\\?["']([^"'\n$]{3,200})`, 'literal')]],
  [
    'login signin sign_in authenticate basicauth httpbasicauth networkcredential auth_plain authenticateuser',
    [call(1, 'likely')],
  ],
  [
    'usernamepasswordcredentials usernamepasswordauthenticationtoken passwordauthentication signinwithemailandpassword basic createuser auth',
    [call(1, 'likely'), call(2, 'likely')],
  ],
  ['getconnection pdo createconnection set_password', [call(2, 'likely')]],
  ['mysqli mysqli_connect mysql_connect', [call(2, 'literal')]],
  ['connect', [call(2, 'likely'), call(3, 'likely')]],
  ['create_user create_superuser createsuperuser', [call(2, 'likely')]],
  [
    'getenv env get getproperty environ',
    [
      usage(
        raw`(?i)^(?:\.get)?\(\s*["'][\w.]{0,40}(?:passw|pwd|_pass)[\w.]{0,20}["'],\s*["']([^"'\n\\]{3,200})`,
        'literal',
        undefined,
        true,
      ),
      usage(
        raw`(?i)^(?:\.get)?\(\s*["'][\w.]{0,40}(?:secret|token|api_?key)[\w.]{0,20}["'],\s*["']([^"'\n\\]{8,200})`,
        'likely',
        undefined,
        true,
      ),
    ],
  ],
  ['client algoliasearch', [call(1, 'likely')]],
  [
    'hash hashpw encode make_password hashsync',
    [usage(raw`^\(b?\\?["']([^"'\n\\]{4,80})`, 'likely', /(?:crypt|password(?:_?encoder|_?hasher)?|argon2)\.$/i, true)],
  ],
  ['make_password hashpw', [usage(raw`^\(b?\\?["']([^"'\n\\]{4,80})`, 'likely', undefined, true)]],
  [
    'type fill send_keys sendkeys setvalue',
    [usage(raw`^\(\s*\\?["']([^"'\n\\]{4,80})`, 'literal', /pass(?:word|wd)?["'\])\w -]{0,20}\)\.$/i, true)],
  ],
];

function merged(): Map<string, Usage[]> {
  const map = new Map<string, Usage[]>();
  for (const [words, list] of usages)
    for (const word of words.split(' ')) map.set(word, [...(map.get(word) ?? []), ...list]);
  return map;
}

const usageOf = keywordTable<readonly Usage[]>(merged());

const longestCommand = 400;
const commandEnd = /(?<!\\)[\n;|]|&&|\\n/;
const nothing: readonly Span[] = [];

const metavariable = /^[A-Z][A-Z0-9_-]*$|^[A-Z][a-z]+$|^[a-z]+$/;

function isSecret(value: string, certainty: Certainty): boolean {
  if (isPlaceholder(value) || /^(?:[-$%<{[]|\.{0,2}\/)/.test(value)) return false;
  if (certainty === 'literal') return judge('password', value, 'literal') !== undefined;
  if (certainty === 'random') return value.length >= 20 && looksRandom(value);
  if (certainty === 'likely')
    return looksLikeSecret(value, 'password', 6) || looksChosen(value) || looksSaid(value, false);
  return (
    !metavariable.test(value) || (value.length >= 5 && !/^(?:pass|password|passwd|secret|user|[A-Z_-]+)$/.test(value))
  );
}

/** The secrets in a program's command line or in a call; the word `[start, end)` is the program's or the function's name. */
export function commandSecrets(text: string, start: number, end: number): readonly Span[] {
  const list = usageOf(text, start, end);
  if (list === undefined) return nothing;
  let after: string | undefined;
  let command: string | undefined;
  const spans: Span[] = [];
  for (const { pattern, certainty, before, wide } of list) {
    if (before !== undefined && !before.test(text.slice(Math.max(0, start - 80), start))) continue;
    after ??= text.slice(end, end + longestCommand);
    if (!wide) command ??= after.slice(0, commandEnd.exec(after)?.index ?? after.length);
    for (const found of (wide ? after : (command ?? '')).matchAll(pattern)) {
      const value = found.slice(1).find((group) => group !== undefined);
      if (value === undefined) continue;
      const from = end + found.index + found[0].lastIndexOf(value);
      const to = from + value.length;
      if (isSecret(value, certainty))
        spans.push({ start: from, end: to, kind: tokenKind(text, from, to) ?? 'password' });
    }
  }
  return spans;
}
