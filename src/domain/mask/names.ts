/** How much a name promises that what it names is secret, from "anything but a label" down to "only what looks random". */
export type NameClass = 'password' | 'phrase' | 'pass' | 'secret' | 'token' | 'weak' | 'authorization' | 'cookie';

const cheapTest =
  /pass|pwd|pw$|psw|senha|contrasena|wachtwoord|kennwort|heslo|mdp$|secret|token|key|cred|auth|cookie|jwt|pat\d*$|bearer|sig$|signature$|pin$|otp|mnemonic|phrase|connection|conn|dsn|salt|psk$|wif$|ident$|team$|session$|bypass$|sessid$|sessionid$|_sid$|\.sid$|_data$|(?:token|secret|key)_[A-Z0-9]+$/i;
const longestName = 80;

const suffix =
  /(?:_(?:prod|production|dev|development|test|testing|staging|stage|live|old|new|current|previous|primary|secondary|value|plain|plaintext|raw|default|main|b64|base64|data)|_?\d)+$/;
/** Verbs and adjectives before it make it a label, a switch or a cursor: `showPassword`, `nextPageToken`, `publicKey`. */
const oneTime = /(?:^|_)(?:reset|change|verify|verification|invite|invitation|confirm|confirmation|activation)_token$/;
/** Cookies that stand for a session; `session_id` is the name of many harmless numbers. */
const sessionCookie =
  /^(?:php_?sess_?id|j_?session_?id|(?:asp_)?net_session_?id|aspsessionid\w*|cftoken|connect_sid|laravel_session)$/;
const harmless =
  /(?:^|_)(?:no|is|has|use|uses|needs?|requires?|show|hide|forgot|forgotten|reset|change|invalid|wrong|enter|missing|incorrect|toggle|next|prev|page|continuation|cancellation|cancel|sync|resume|public|pub|keyword|end|start|first|last|open|close|operator|syntax|eof|primary|foreign|sort|cache|partition|lookup|design|css|semantic|color|punctuator)_(?:[a-z]+_)?[a-z]+$/;

const password =
  /(?:^|_|[a-z])(?:password|passwd|passcode)s?$|(?:^|_)(?:pwd|pw|psw|pswd|dbpass|userpass|rootpass)$|(?:^|_)(?:db|user|smtp|mail|email|ftp|sftp|ssh|root|admin|mysql|pg|postgres|redis|mongo|rabbitmq|amqp|ldap|proxy|basic|login)_pass$/;
/** `storepass`, `ansible_become_pass`, `rpcpass`: names of short passwords. */
const owned =
  /(?:^|_|[a-z])(?:db|user|root|smtp|mail|ftp|ssh|http|store|key|become|sudo|admin|bind|rpc|svn|git|cert|wifi)_?pass(?:wd)?$|(?:^|_)(?:requirepass|masterauth|npm_auth_ident|sshpass|redis_?cli_?auth|(?:redis|basic|smtp|ftp|ldap|sasl|mqtt)_auth)$/;
const secret = /(?:^|_|[a-z])secrets?$|secret_?(?:access_?)?key$|secret_?key_?base$/;
const phrase =
  /(?:^|_)(?:psk|pre_?shared_?key)$|(?:^|_|[a-z])passphrase$|(?:^|_)(?:seed|recovery)_?phrase$|(?:^|_)mnemonic$/;
/** Short words that mean other things too: a test may `pass`, a board has a `pin`. */
const pass = /(?:^|_)(?:pass|pin|passwort|kennwort|senha|contrasena|wachtwoord|heslo|mdp|mot_?de_?passe)$/;
const keyOwners =
  'api|access|private|auth|authorization|account|shared_?access|shared|storage|master|encryption|encrypt|signing|sign|app|application|service|service_role|session|license|deploy|ssh|subscription|consumer|admin|server|integration|write|transaction|instrumentation|routing|crypt|unseal|recovery|ingest|ingestion|anon|role|hmac|jwt|cookie|webhook|root|client|project|database|db|openai|anthropic|stripe|sendgrid|mailgun|algolia|datadog|newrelic|maps|google|azure|aws|gcp|x_api|functions?|host|rest|validation|decryption|vault|wallet|merchant|partner|payment';
const token = new RegExp(
  `(?:^|_|[a-z])(?:token|apikey|accesskey|accountkey|privatekey|authkey|sharedkey)$|(?:^|_)(?:${keyOwners})_?keys?$|(?:^|_)(?:jwt|pat|auth|bearer|credentials?|wif|connection_?string|conn_?str|otp|dsn|personal_access_tokens?|api_tokens?|access_tokens?|auth_tokens?|refresh_tokens?)$`,
);
/** In `TOKEN_ACME` the noun comes first. `TOKEN_URL` and the like describe the secret and hold none. */
const weak =
  /(?:^|_)(?:key|sig|signature|salt|session)$|(?:^|_)(?:token|secret|api_?key|secret_key)_(?!(?:url|uri|file|path|name|id|type|ttl|arn|hash|header|length|version|prefix|endpoint)$)[a-z0-9]+$/;

function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase()
    .replace(/(^|_)pass_(word|wd|phrase|code)/g, '$1pass$2');
}

export function classifyName(name: string): NameClass | undefined {
  if (name.length > longestName || !cheapTest.test(name)) return undefined;
  const whole = snakeCase(name).replace(/^_+|_+$/g, '');
  if (/(?:^|_)authorization$/.test(whole)) return 'authorization';
  if (/^(?:set_)?cookies?$|(?:^|_)session_cookie$/.test(whole)) return 'cookie';
  const stem = whole.replace(suffix, '');
  if (oneTime.test(stem) || sessionCookie.test(whole.replace(/_?(\d)$/, '$1'))) return 'token';
  if (harmless.test(stem)) return undefined;
  if (password.test(stem) || owned.test(stem)) return 'password';
  if (
    /^x_(?:\w+_)?key$|(?:^|_)(?:honeycomb_team|protection_bypass)$|^dd_\w+_key$|auth$/.test(stem) &&
    !/o_?auth$/.test(stem)
  )
    return 'token';
  if (phrase.test(stem)) return 'phrase';
  if (pass.test(stem)) return 'pass';
  if (secret.test(stem)) return 'secret';
  if (token.test(stem)) return 'token';
  return weak.test(stem) ? 'weak' : undefined;
}
