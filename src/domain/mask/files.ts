const template = /\.(?:example|sample|template|tmpl|dist|defaults?|schema|md|d\.ts|pub)$/;

/** By the file's own name, in lower case. */
const secretNames: readonly RegExp[] = [
  /^\.env(?:rc)?$|^\.env[._-][\w.-]+$|^[\w.-]+\.env$|^env\.(?:local|production|development|staging)$/,
  /^\.?(?:npmrc|yarnrc|netrc|_netrc|pgpass|my\.cnf|mylogin\.cnf|pypirc|git-credentials|htpasswd|dockercfg|dockerconfigjson|vault-token|s3cfg|passwd-s3fs|boto|smbcredentials|cifscreds|condarc|rclone\.conf|terraformrc|databrickscfg|cargo-credentials)$/,
  /^_netrc$|^pgpass\.conf$|^\.age$|^\.claude\.json$|^\.credentials(?:\.json)?$|^\.gem_credentials$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[._-][\w-]+)?$|^ssh_host_[a-z0-9]+_key$|^[\w.-]*_(?:rsa|ed25519)$/,
  /\.(?:pem|key|p12|pfx|p8|pkcs12|keystore|jks|ppk|asc|gpg|kdbx|ovpn|agekey|tfvars|mobileprovision)$/,
  /^(?:secrets?|credentials?|vault|passwords?)\.(?:ya?ml|json|toml|ini|txt|env|properties|conf|cfg|xml|csv)$/,
  /^[\w.-]*secrets?\.(?:ya?ml|json|toml)$|^local\.settings\.json$|^appsettings\.secrets\.json$/,
  /^(?:service[-_]?account|[\w.-]*service[-_]account)[\w.-]*\.json$|^application_default_credentials\.json$|^client_secrets?[\w.-]*\.json$|^[\w-]+-firebase-adminsdk-[\w-]+\.json$/,
  /^kubeconfig(?:\.ya?ml)?$|^[\w.-]+\.kubeconfig$|^google-credentials\.json$|^terraform\.tfstate(?:\.backup)?$|^master\.key$|^credentials\.tfrc\.json$/,
  /^(?:shadow|gshadow)-?$|^wp-config\.php$|^hosts\.yml$|^auth\.json$|^wg\d{0,3}\.conf$|^wg-[\w-]+\.conf$|^\.?terraform\.rc$|^cookies\.(?:txt|sqlite|json)$/,
  /^appsettings\.[\w.-]+\.json$|^logins\.json$|^key[34]\.db$|^login\.keychain(?:-db)?$|^login data$|^sealed-?secrets?\.|^(?:db|database)[_-]?passwords?(?:\.txt)?$/,
  /^(?:access|refresh|auth|api|github|gh|npm|pypi|slack|bot|vault|id|oauth|bearer)[_-]?(?:tokens?|keys?)\.(?:txt|json|ya?ml)$|^\.?(?:token|api[_-]?key|passphrase|private[_-]?key)\.(?:txt|json)$/,
  /\.(?:tfstate(?:\.backup)?|keytab|kdb|kwallet|rdp|pgpass|netrc|htpasswd|secrets?|credentials?|pvk|jceks|bks)$/,
];

/** By the end of the whole path, where the name alone says too little. */
const secretPaths =
  /(?:^|\/)(?:\.aws\/(?:credentials|config|cli\/cache\/[^/]+|sso\/cache\/[^/]+)|\.azure\/(?:accesstokens\.json|msal_token_cache\.[a-z]+|azureprofile\.json)|\.?(?:gcloud|config\/gcloud)\/(?:credentials(?:\.db|\.json)?|access_tokens\.db|legacy_credentials\/.+)|\.docker\/config\.json|\.kube\/(?:config|cache\/.+)|\.codex\/auth\.json|codex\/auth\.json|\.claude\/\.credentials\.json|\.gemini\/oauth_creds\.json|\.config\/(?:gh\/hosts\.yml|hub|github-copilot\/(?:hosts|apps)\.json|op\/config|doctl\/config\.yaml|rclone\/rclone\.conf)|\.cargo\/credentials(?:\.toml)?|\.gem\/credentials|\.ssh\/(?!(?:config|known_hosts|authorized_keys)$|[^/]+\.pub$)[^/]+|\.gnupg\/(?:secring\.gpg|private-keys-v1\.d\/.+)|\.m2\/settings(?:-security)?\.xml|\.gradle\/gradle\.properties|\.terraform\.d\/credentials\.tfrc\.json|\.config\/containers\/auth\.json|\.local\/share\/opencode\/auth\.json|proc\/(?:\d+|self|\*|\$\w*|\$\$|[\w$*]+)\/environ|etc\/sudoers|secrets\/[^/]+|credentials|auth\.json)$/;

/** Members of objects in code, and filters of `jq`. */
const member =
  /^(?:(?:process|import\.meta|meta|deno|bun|os|c|ctx|context|this|self|globalthis|window|config|env|app|event)\.env|(?:[a-z]|ev|evt|event|item|obj|entry|node|row|kv|pair|this|self|it|props|element|el|data|option|field|record|value|header|map|prop|param|attr)?\.(?:key|pem|secrets?|credentials?|asc|rdp))$/;
const sourceFile =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|cs|php|swift|c|h|cpp|hpp|vue|svelte|html?|css|scss|sql|md|mdx|rst|lock)$/;

/** No system opens a longer one. */
const longestPath = 4096;

/** A file whose contents are credentials, by its path. Templates and source code about secrets are none. */
export function isCredentialFile(path: string): boolean {
  const given = path.trim();
  if (given.length > longestPath) return false;
  const whole = given.replaceAll('\\', '/').toLowerCase();
  const name = whole.slice(whole.lastIndexOf('/') + 1);
  if (name === '' || template.test(name) || (sourceFile.test(name) && name !== 'wp-config.php')) return false;
  if ((member.test(name) && whole === name) || name.includes('[]')) return false;
  return secretNames.some((pattern) => pattern.test(name)) || secretPaths.test(whole);
}

/** Of each sort a name, for a glob to match. */
const namesake = (
  '.env .env.local .envrc .npmrc .netrc .pgpass .pypirc .git-credentials .htpasswd .vault-token .dockercfg .s3cfg .boto ' +
  '.my.cnf .claude.json .credentials.json id_rsa id_dsa id_ecdsa id_ed25519 credentials credentials.json secrets.yml ' +
  'secrets.yaml secrets.json server.pem server.key service-account.json terraform.tfstate terraform.tfvars'
).split(' ');

/** Two places at most are gone back to, so the cost is the product of the lengths, whatever the stars. A set counts as any one letter. */
function globMatches(glob: string, name: string): boolean {
  let [at, star, resume] = [0, -1, 0];
  let index = 0;
  while (at < name.length) {
    const letter = glob[index];
    if (letter === '*') {
      star = index;
      resume = at;
      index += 1;
    } else if (letter !== undefined && (letter === '?' || letter === name[at])) {
      index += 1;
      at += 1;
    } else if (star !== -1) {
      index = star + 1;
      resume += 1;
      at = resume;
    } else return false;
  }
  return /^\**$/.test(glob.slice(index));
}

/** A glob of a word or two's beginning that would take such a file along: `.e*`, `id_*`. A shell's bare `*` leaves hidden files out. */
function takesCredentials(name: string): boolean {
  const glob = name.replace(/\[[^\]]{1,20}\]/g, '?');
  const literal = glob.replace(/[*?]/g, '').length;
  if (glob.startsWith('.') ? glob.length < 2 : literal < 3) return false;
  // `*.json` and `*.yml` aim at what everyone has.
  return !/^\*+\.(?:json|ya?ml|txt)$/.test(glob) && namesake.some((credential) => globMatches(glob, credential));
}

/** A glob that is aimed at such files: `.env*`, `**\/*.pem`, `.e*`. */
export function isCredentialGlob(glob: string): boolean {
  const name = glob.slice(glob.lastIndexOf('/') + 1).toLowerCase();
  if (name.length > 256 || /^\*+$/.test(name) || template.test(name)) return false;
  if (/^\*?\.env(?:[*.?[{]|$)/.test(name)) return true;
  return isCredentialFile(glob.replaceAll('*', 'x')) || takesCredentials(name);
}
