const template = /\.(?:example|sample|template|tmpl|dist|defaults?|schema|md|d\.ts|pub)$/;

/** By the file's own name, in lower case. */
const secretNames: readonly RegExp[] = [
  /^\.env(?:rc)?$|^\.env[._-][\w.-]+$|^[\w.-]+\.env$|^env\.(?:local|production|development|staging)$/,
  /^\.?(?:npmrc|yarnrc|netrc|_netrc|pgpass|my\.cnf|mylogin\.cnf|pypirc|git-credentials|htpasswd|dockercfg|dockerconfigjson|vault-token|s3cfg|boto|rclone\.conf|terraformrc|databrickscfg|cargo-credentials)$/,
  /^_netrc$|^pgpass\.conf$|^\.age$|^\.claude\.json$|^\.credentials(?:\.json)?$|^\.gem_credentials$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[._-][\w-]+)?$|^ssh_host_[a-z0-9]+_key$|^[\w.-]*_(?:rsa|ed25519)$/,
  /\.(?:pem|key|p12|pfx|p8|pkcs12|keystore|jks|ppk|asc|gpg|kdbx|ovpn|agekey|tfvars|mobileprovision)$/,
  /^(?:secrets?|credentials?|vault|passwords?)\.(?:ya?ml|json|toml|ini|txt|env|properties|conf|cfg|xml|csv)$/,
  /^[\w.-]*secrets?\.(?:ya?ml|json|toml)$|^local\.settings\.json$|^appsettings\.secrets\.json$/,
  /^(?:service[-_]?account|[\w.-]*service[-_]account)[\w.-]*\.json$|^application_default_credentials\.json$|^client_secrets?[\w.-]*\.json$|^[\w-]+-firebase-adminsdk-[\w-]+\.json$/,
  /^kubeconfig(?:\.ya?ml)?$|^[\w.-]+\.kubeconfig$|^google-credentials\.json$|^terraform\.tfstate(?:\.backup)?$|^master\.key$|^credentials\.tfrc\.json$/,
  /^(?:shadow|gshadow)-?$/,
];

/** By the end of the whole path, where the name alone says too little. */
const secretPaths =
  /(?:^|\/)(?:\.aws\/(?:credentials|config|cli\/cache\/[^/]+|sso\/cache\/[^/]+)|\.azure\/(?:accesstokens\.json|msal_token_cache\.[a-z]+|azureprofile\.json)|\.?(?:gcloud|config\/gcloud)\/(?:credentials(?:\.db|\.json)?|access_tokens\.db|legacy_credentials\/.+)|\.docker\/config\.json|\.kube\/(?:config|cache\/.+)|\.codex\/auth\.json|codex\/auth\.json|\.claude\/\.credentials\.json|\.gemini\/oauth_creds\.json|\.config\/(?:gh\/hosts\.yml|hub|github-copilot\/(?:hosts|apps)\.json|op\/config|doctl\/config\.yaml|rclone\/rclone\.conf)|\.cargo\/credentials(?:\.toml)?|\.gem\/credentials|\.ssh\/(?!(?:config|known_hosts|authorized_keys)$|[^/]+\.pub$)[^/]+|\.gnupg\/(?:secring\.gpg|private-keys-v1\.d\/.+)|\.m2\/settings(?:-security)?\.xml|\.gradle\/gradle\.properties|\.terraform\.d\/credentials\.tfrc\.json|\.config\/containers\/auth\.json|\.local\/share\/opencode\/auth\.json|proc\/(?:\d+|self)\/environ|secrets\/[^/]+|credentials|auth\.json)$/;

const sourceFile =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|cs|php|swift|c|h|cpp|hpp|vue|svelte|html?|css|scss|sql|md|mdx|rst|lock)$/;

/** A file whose contents are credentials, by its path. Templates and source code about secrets are none. */
export function isCredentialFile(path: string): boolean {
  const whole = path.trim().replaceAll('\\', '/').toLowerCase();
  if (whole.length > 4096) return false;
  const name = whole.slice(whole.lastIndexOf('/') + 1);
  if (name === '' || template.test(name) || sourceFile.test(name)) return false;
  return secretNames.some((pattern) => pattern.test(name)) || secretPaths.test(whole);
}

/** A glob that is aimed at such files: `.env*`, `**\/*.pem`. */
export function isCredentialGlob(glob: string): boolean {
  const name = glob.slice(glob.lastIndexOf('/') + 1).toLowerCase();
  if (/^\*?\.env(?:[*.?[{]|$)/.test(name)) return !template.test(name);
  return !/^\*+$/.test(name) && isCredentialFile(glob.replaceAll('*', 'x'));
}
