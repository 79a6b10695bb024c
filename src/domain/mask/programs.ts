function names(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/** What may stand before a program without changing what it does. */
export const wrappers = names(
  'sudo doas time nohup nice exec command builtin stdbuf timeout watch then do else if while { !',
);

/** Programs that run another one, given in their own arguments. */
export const carriers = names(
  'bash sh zsh dash fish ksh su eval ssh docker podman kubectl oc nerdctl lxc wsl cmd powershell pwsh xargs npx flatpak chroot nsenter tmux script vagrant heroku fly flyctl',
);

/** Programs that write to the files they are given. */
export const writers = names('tee set-content add-content out-file sc ac');

/**
 * Commands whose very purpose is to print credentials, by their programs; matched against the program and its arguments. Where one
 * has several words apart, what is between them must not hold the next: else all places of each are tried with all of the others.
 */
const tellerTable: readonly (readonly [string, RegExp])[] = [
  ['printenv', /^printenv\b/],
  ['env', /^env(?: -0| --null| -u \S+)*$/],
  ['set', /^set$/],
  ['history', /^history\b/],
  ['systemctl', /^systemctl .{0,40}show-environment/],
  ['export declare typeset', /^[a-z]+(?: -[pxg]+)?$/],
  ['get-childitem gci dir ls get-item', /^[a-z-]+ env:/i],
  ['compgen', /^compgen -[ve]/],
  ['gh glab', /^\w+ auth token|^\w+ auth status .{0,80}(?:-t|--show-token)\b|^glab config get/],
  [
    'gcloud',
    /^gcloud (?:\S+ )?auth (?:\S+ )?print-|^gcloud (?:\S+ )?secrets versions access|^gcloud config config-helper/,
  ],
  [
    'az',
    /^az account get-access-token|^az keyvault secret (?:show|list)|^az [\w -]{1,60} keys? list|^az [\w -]{1,60} list-keys|^az [\w -]{1,60} (?:show-connection-string|create-for-rbac|credential reset|get-credentials|list-publishing-credentials)/,
  ],
  [
    'aws',
    /^aws (?:configure (?:get|export-credentials)|ecr(?:-public)? get-login|secretsmanager get-secret|ssm get-parameter|sts (?:get-session-token|get-federation-token|assume-role)|iam create-access-key|rds generate-db-auth|ecr get-authorization|codeartifact get-authorization|lambda get-function|sso get-role|kms decrypt)/,
  ],
  ['vault', /^vault (?:kv get|read|token (?:create|lookup)|login|print token|unwrap|operator init)/],
  ['op bw lpass pass gopass secret-tool keyring', /^[a-z-]+ (?:read|get|show|lookup|item|list|export|\S+\/)/],
  ['security', /^security (?:find-generic-password|find-internet-password|dump-keychain)/],
  [
    'kubectl',
    /^kubectl (?:(?!\bget ).)*\bget (?:(?!\bsecrets?\b).)*\bsecrets?\b(?:(?! -o|--output|--template).)*(?: -o|--output|--template)|^kubectl config view .{0,200}--raw/,
  ],
  [
    'kubectl oc',
    /^\w+ (?:create token|whoami (?:-t|--show-token)|config view .{0,200}--raw|describe secret)|^oc (?:(?!\bget ).)*\bget (?:(?!\bsecrets?\b).)*\bsecrets?\b/,
  ],
  ['heroku', /^heroku (?:config|auth:token)/],
  ['firebase', /^firebase (?:login:ci|functions:config:get)/],
  ['infisical', /^infisical (?:secrets|export)/],
  ['consul etcdctl', /^\w+ (?:kv )?get .{0,80}(?:pass|secret|token|key|cred)/i],
  ['rails', /^rails credentials:/],
  ['pulumi', /^pulumi (?:config .{0,80}--show-secrets|stack output .{0,80}--show-secrets)/],
  ['wg', /^wg (?:genkey|genpsk|showconf)/],
  ['vercel', /^vercel env/],
  ['eksctl', /^eksctl get token/],
  ['doppler', /^doppler secrets/],
  ['fly flyctl', /^fly(?:ctl)? tokens/],
  ['netlify', /^netlify env/],
  ['railway', /^railway variables/],
  ['npm yarn pnpm', /^\w+ (?:token|config (?:get|list).{0,80}(?:auth|token|password|-l\b))/i],
  ['terraform tofu', /^\w+ (?:output|state (?:pull|show)|show)/],
  ['chamber', /^chamber (?:read|export|list)/],
  ['sops', /^sops .{0,200}(?:-d|--decrypt|decrypt)\b/],
  ['ansible-vault', /^ansible-vault (?:view|decrypt)/],
  ['gpg', /^gpg .{0,200}--export-secret/],
  ['git', /^git (?:credential|config .{0,80}(?:password|token|credential))/],
  ['docker docker-compose', /^docker inspect\b|^docker(?:-compose| compose) config\b/],
];

/** By program; one may stand in several rows. */
export const tellers: ReadonlyMap<string, readonly RegExp[]> = tellerTable.reduce((map, [programs, teller]) => {
  for (const program of programs.split(' ')) map.set(program, [...(map.get(program) ?? []), teller]);
  return map;
}, new Map<string, readonly RegExp[]>());
