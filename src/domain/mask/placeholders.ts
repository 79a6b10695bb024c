/** Words that stand for "no value here" or name a type; in code they follow a name like `password` all the time. */
const emptyWords = new Set(
  (
    'null nil none undefined true false yes no on off string str text number int integer bool boolean any unknown void ' +
    'object never optional required string[] auto default empty env todo tbd n/a na changeme change_me change-me ' +
    'redacted hidden masked omitted secret token password passwd pass pwd value key test-token my-token my_token ' +
    'mytoken mysecret mypassword bearer basic jwt access_token accesstoken api_key apikey api-key user username'
  ).split(' '),
);

/** `${TOKEN}`, `$(cmd)`, `$TOKEN`, `{{ token }}`, `<token>`, `%TOKEN%`, `%s`, `[token]`, `@token@`, and what is masked already. */
const stencil = /^(?:\$[A-Za-z_{(]|\$\d?$|#\{|\{|<|%[A-Za-z_]+%?$|%\(|\[|@[\w.]+@$|«|\\\(|\\?\$\{)/;
const expression =
  /^(?:process\.env|import\.meta|os\.environ|os\.getenv|env[.[(]|ENV\[|secrets\.|vars?\.|local\.|module\.|this\.|self\.|await |new |typeof |function\b|keyof )/;
const filler = /^(.)\1*$|^(?:[xX*.•_-]+)$|\*{3,}|x{5,}|X{5,}|\.{3}|…|•{3,}/;
const instruction =
  /(?:^|[-_ .])(?:your|example|placeholder|replace|insert|dummy|sample|changeme|redacted|todo|fixme)(?=$|[-_ .])|^your[a-z]|-here$|_here$|HERE$|^(?:YOUR|MY|EXAMPLE|PLACEHOLDER|REPLACE|INSERT|DUMMY|SAMPLE)_/;

/** Words of stand-ins and of chosen passwords alike: `my-secret` is a stand-in, `my-s3cret` is not. */
const wording = /(?:^|[-_ .])(?:my|the|goes|here)(?=$|[-_ .])/;
const digitInWord = /[A-Za-z]\d[A-Za-z]/;

/** A stand-in, not a secret. Text that merely contains "EXAMPLE" inside a key is none. */
export function isPlaceholder(value: string): boolean {
  if (value.length === 0 || value.includes('«masked:')) return true;
  if (stencil.test(value) || expression.test(value) || filler.test(value)) return true;
  if (value.length < 24 && emptyWords.has(value.toLowerCase())) return true;
  return instruction.test(value) || (wording.test(value) && !digitInWord.test(value) && !/ \d+$/.test(value));
}

const secretWords = /pass|pwd|secret|token|key|cred|auth|login|user|input|field/i;
const lettersOnly = /^[A-Za-z]+(?:[-_.: ][A-Za-z]+)*$/;

/** The name of a secret rather than one: `new-password`, `user.token`, `ApiKey`. */
export function isLabel(value: string): boolean {
  return lettersOnly.test(value) && secretWords.test(value);
}
