function names(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/** Programs that print what is in the files they are given. */
export const readers = names(
  'cat tac nl less more most head tail bat batcat grep egrep fgrep zgrep rg ag ack awk gawk mawk sed cut sort uniq strings xxd od hexdump ' +
    'base64 base32 type gc get-content select-string findstr jq yq fx diff sdiff colordiff delta comm paste join fold fmt pr rev column ' +
    'tee dd openssl keytool gpg zcat vim nvim vi view code',
);

/** Of those, the ones whose first argument is a pattern or a script. */
export const patternFirst = names('grep egrep fgrep zgrep rg ag ack awk gawk mawk sed jq yq select-string findstr');

export const gitReaders = names('show diff log blame annotate cat-file grep stash');

/** Programs that run code given as an argument. */
export const scriptRunners = names('python python2 python3 node deno bun ruby perl php');

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
  ['export declare typeset', /^[a-z]+(?: -[pxg]+)?$/],
  ['get-childitem gci dir ls get-item', /^[a-z-]+ env:/i],
  ['compgen', /^compgen -[ve]/],
  ['gh', /^gh auth token|^gh auth status .*(?:-t|--show-token)\b/],
  ['gcloud', /^gcloud (?:\S+ )?auth (?:\S+ )?print-|^gcloud secrets versions access/],
  [
    'az',
    /^az account get-access-token|^az keyvault secret (?:show|list)|^az [\w -]{1,60} keys? list|^az [\w -]{1,60} list-keys/,
  ],
  [
    'aws',
    /^aws (?:configure (?:get|export-credentials)|ecr(?:-public)? get-login|secretsmanager get-secret|ssm get-parameter|sts (?:get-session-token|assume-role)|iam create-access-key)/,
  ],
  ['vault', /^vault (?:kv get|read|token create|login|print token)/],
  ['op bw lpass pass gopass secret-tool keyring', /^[a-z-]+ (?:read|get|show|lookup|item|list|export|\S+\/)/],
  ['security', /^security (?:find-generic-password|find-internet-password|dump-keychain)/],
  [
    'kubectl',
    /^kubectl (?:(?!\bget ).)*\bget (?:(?!\bsecrets?\b).)*\bsecrets?\b(?:(?! -o|--output|--template).)*(?: -o|--output|--template)|^kubectl config view .{0,200}--raw/,
  ],
  ['heroku', /^heroku config/],
  ['doppler', /^doppler secrets/],
  ['fly flyctl', /^fly(?:ctl)? tokens/],
  ['netlify', /^netlify env/],
  ['railway', /^railway variables/],
  ['npm', /^npm token/],
  ['terraform', /^terraform output/],
  ['chamber', /^chamber (?:read|export|list)/],
  ['sops', /^sops .{0,200}(?:-d|--decrypt|decrypt)\b/],
  ['ansible-vault', /^ansible-vault (?:view|decrypt)/],
  ['gpg', /^gpg .{0,200}--export-secret/],
  ['git', /^git credential/],
  ['docker docker-compose', /^docker inspect\b|^docker(?:-compose| compose) config\b/],
];

export const tellers: ReadonlyMap<string, RegExp> = new Map(
  tellerTable.flatMap(([programs, teller]) => programs.split(' ').map((program) => [program, teller])),
);
