import { keywordTable } from './keywords.ts';

/** What a noun of a sentence introduces. `pass` also is a verb; a `login` is followed by a user and a password. */
export type NounKind = 'password' | 'pass' | 'phrase' | 'token' | 'login' | 'pin';

export interface Noun {
  readonly kind: NounKind;
  readonly start: number;
  readonly end: number;
  /** No programming language's code uses this noun. */
  readonly wide: boolean;
}

interface Row {
  readonly kind: NounKind;
  readonly wide: boolean;
  /** Must match the text before the noun; for nouns with wide letters up to and with the letter that is looked up. */
  readonly before: RegExp | undefined;
  /** Must match right after the noun, and is a part of it. */
  readonly after: RegExp | undefined;
}

function grouped(entries: readonly (readonly [string, Row])[]): Map<string, Row[]> {
  const map = new Map<string, Row[]>();
  for (const [key, row] of entries) map.set(key, [...(map.get(key) ?? []), row]);
  return map;
}

type Rows = readonly (readonly [string, Row])[];

/** Nouns that occur in code, too. */
function code(kind: NounKind, words: string, before?: RegExp, after?: RegExp): Rows {
  return words.split(' ').map((word) => [word, { kind, wide: false, before, after }]);
}

function spoken(kind: NounKind, words: string, before?: RegExp, after?: RegExp): Rows {
  return words.split(' ').map((word) => [word, { kind, wide: true, before, after }]);
}

const any = /(?:)/;
const wifiBefore =
  /(?:wi-?fi|wlan|wpa2?|network|netzwerk|security|pre-?shared|router|hotspot|internet)[ -]$|wi-?fi[^\n]{0,18}[,;/] ?$/i;
const ofWifi =
  /(?:[ -](?:de la|do|d[aeu]l?|of the|for the|for))?[ -](?:wi-?fi|wlan|wpa2?|red|rede|box|réseau|router|roteador)(?![a-z])/iy;
const codeOf =
  /(?: d['’]acc[eè]s| de acc?es[so]o?| de desbloqueio| de seguridad| de segurança| secret[ao]?| de la (?:puerta|porte|box|caja)| da porta| (?:du|del?|do) (?:la )?wi-?fi| wi-?fi| pin)(?![a-z])/iy;
const keyOwner = /(?:api|access|secret|private|auth|service|license|encryption|signing|master)[ -]$/i;
const phraseOf =
  /(?: secr[eè]te| secreta| de passe| de paso| de contrase[nñ]a| de acceso| de r[eé]cup[eé]ration| de recupera[cç][iã][oó]n?| de seguridad| de senha| semilla|-cl[eé])(?![a-z])/iy;
const ofAccess =
  /(?:[ -](?:d['’]|d[aeo]l? )?(?:api|acc?es[so]o?|acc[eè]s|secr[eè]t[aeo]?|privad[ao]|priv[eé]e?)(?![a-z]))?/iy;

const rowsOf = keywordTable<readonly Row[]>(
  grouped(
    [
      code('password', 'password passwords passwd passcode pwd pw psw'),
      code('phrase', 'passphrase passphrases keyphrase'),
      code('phrase', 'phrase', /(?:pass|seed|recovery|secret|key|code|mnemonic)[ -]$/i),
      code('pass', 'pass'),
      spoken('password', 'passwort kennwort losungswort zugangscode sicherheitscode entsperrcode'),
      spoken(
        'password',
        'clave claves senha senhas contrasena wachtwoord heslo mdp mot-de-passe mots-de-passe palavra-passe parola',
      ),
      spoken('phrase', 'kennphrase frase-senha frase-passe frase-clave'),
      spoken('phrase', 'frase phrase', any, phraseOf),
      spoken('password', 'contra', /(?<![a-z])(?:la|mi|tu|su) $/i),
      spoken('password', 'code codigo', any, codeOf),
      code('password', 'code', /(?:wi-?fi|access|door|wlan|unlock|gate|alarm|entry|pass|secret)[ -]$/i),
      code('password', 'key', wifiBefore),
      spoken('password', 'schluessel schlussel', wifiBefore),
      spoken('password', 'llave chave chiave', any, ofWifi),
      spoken('token', 'secreto segredo'),
      code('token', 'token secret api-key apikey authtoken auth-token access-token'),
      code('token', 'chave jeton chiave llave', any, ofAccess),
      code('token', 'key', keyOwner),
      spoken('token', 'schluessel schlussel', /api-?$/i),
      spoken('password', 'passe', /(?:mots? de|palavras?) $/i),
      spoken('password', 'sandi sandinya', /kata $/i),
      spoken('password', 'ordine', /parola d['’]$/i),
      code('password', 'word', /pass[ -]?$/i),
      code('pin', 'pin'),
      code('pin', 'code', /pin[ -]$/i),
      code('login', 'in on', /(?<![a-z])(?:log|logged|logging|sign|signed|signing) $/i),
      code('login', 'dich mich sich'),
      code('login', 'authenticate connect', undefined, /(?= (?:as|with|using|to)\b)/iy),
      code('login', 'login logon creds credentials account zugangsdaten anmeldedaten identifiants credenciales'),
      code('login', 'credenciais acceso accesos acesso acessos zugang anmelden einloggen melde meldet logge connecte'),
      code('login', 'connecter connecte-toi connectez-vous identifie-toi identifiez-vous authentifie-toi logue-toi'),
      code('login', 'connectez identifie entra entrar accede ingresa acesse acessa datos dados'),
      code('login', 'entre', undefined, /(?= com| como| con)/iy),
    ].flat(),
  ),
);

const longestBefore = 24;

function fits(text: string, { kind, wide, before, after }: Row, start: number, end: number): Noun | undefined {
  if (before !== undefined && !before.test(text.slice(Math.max(0, start - longestBefore), start))) return undefined;
  if (after === undefined) return { kind, start, end, wide };
  after.lastIndex = end;
  const rest = after.exec(text);
  return rest === null ? undefined : { kind, start, end: end + rest[0].length, wide };
}

function firstOf(text: string, rows: readonly Row[] | undefined, start: number, end: number): Noun | undefined {
  for (const row of rows ?? []) {
    const noun = fits(text, row, start, end);
    if (noun !== undefined) return noun;
  }
  return undefined;
}

const longestPart = 12;

/** `Root-Passwort`, `sudo-pw`, `Datenbankpasswort`: where the last part of a compound begins. */
function lastPart(text: string, start: number, end: number): number {
  // r, t
  if (text.charCodeAt(end - 1) === 116 && text.charCodeAt(end - 2) === 114) {
    if (/^(?:pass|kenn)wort$/.test(text.slice(end - 8, end))) return end - 8;
  }
  const limit = Math.max(start, end - longestPart);
  for (let at = end - 2; at > limit; at -= 1) if (text.charCodeAt(at - 1) === 45) return at;
  return start;
}

const maskBefore = '«masked:';

/** The noun that the word `[start, end)` ends. */
export function nounAt(text: string, start: number, end: number): Noun | undefined {
  const whole = firstOf(text, rowsOf(text, start, end), start, end);
  const part = whole === undefined ? lastPart(text, start, end) : start;
  const noun = whole ?? (part > start ? firstOf(text, rowsOf(text, part, end), part, end) : undefined);
  // The kind that a mask names says nothing of what follows the mask.
  return noun !== undefined && text.startsWith(maskBefore, start - maskBefore.length) ? undefined : noun;
}

function lettered(kind: NounKind, letters: string, before: RegExp, after?: RegExp): Rows {
  return Array.from(letters, (letter) => [letter, { kind, wide: true, before, after }]);
}

const cases = /(?:[ьяюеи]|[её]м|ей|ями|ям|ях|а|ом|ами|у)?(?![а-яё])/iy;

/** Nouns with a letter that is not ASCII, by that letter: the last one, the only one, or the last of a stem. */
const rowsByLetter = grouped(
  [
    lettered('login', '번호정', /(?:아이디|계정) ?\/ ?(?:비번|비밀번호)$|계정 ?정보$|계정$/),
    lettered('login', '보터', /(?:계정|로그인|접속|인증) ?(?:정보|데이터)$/),
    lettered('login', 'ン報ト', /(?:ログイン|アカウント|(?:ログイン|認証|接続|アカウント)情報)$/),
    lettered('login', '录号', /(?:登录|[账帐]号)$/),
    lettered('login', 'иыне', /(?<![а-яё])(?:за|во)йди$|доступы$|креды$|логин$|(?<![а-яё])данные$/i),
    lettered('login', 'п', /(?<![а-яё])доступ$/i, /(?:ы|а|ом)?(?![а-яё])/iy),
    lettered('login', 'ó', /sesi.$/i, /n(?![a-z])/y),
    lettered('login', 'ã', /sess.$/i, /o(?![a-z])/y),
    lettered('login', 'è', /acc.$/i, /s(?![a-z])/y),
    lettered('phrase', '즈구문장', /(?:패스프레이즈|(?:암호|비밀|복구|시드) ?(?:문구|구문|문장))$/),
    lettered('phrase', 'ズ', /(?:パスフレーズ|シードフレーズ)$/),
    lettered('phrase', 'з', /(?:кодов|парольн|секретн|ключев|мнемоническ|сид)\S{0,3}[- ]?фраз$/i, cases),
    lettered('phrase', 'é', /(?<![a-z])(?:phrase|mot)[ -]cl.$/i),
    lettered('password', '호드번', /(?:비밀 ?번호|패스워드|패스코드|비번|암호)$/),
    lettered('password', '키', /(?:와이파이|네트워크|무선|보안|암호) ?키$/),
    lettered('password', 'ドズ号ス葉', /(?:パスワード|パスコード|暗証番号|暗号|合い?言葉|(?<![ルドァ全対])パス)$/),
    lettered('password', 'ー', /(?:暗証|暗号化?|セキュリティ|ネットワーク|wi-?fi|無線|接続)キー$/i),
    lettered('password', '码碼令', /(?:密码|密碼|口令)$/),
    lettered('password', 'л', /(?<![а-яё])парол$/i, cases),
    lettered('password', 'с', /(?<![а-яё])пасс?$/i, /(?:ворд)?(?![а-яё])/iy),
    lettered(
      'password',
      'д',
      /(?<![а-яё])код$/i,
      / (?:доступа|разблокировки|от|безопасности|wi-?fi|вай-?фа\S?)(?![а-яё])/iy,
    ),
    lettered('password', 'ч', /(?<![а-яё])ключ$/i, / (?:(?:от|для|к) )?(?:wi-?fi|вай-?фа\S?|сети|роутера)(?![а-яё])/iy),
    lettered('password', 'ñ', /contrase.$/i, /as?(?![a-z])/iy),
    lettered('password', 'ó', /(?<![a-z])c.$/i, new RegExp(`digo${codeOf.source}`, 'iy')),
    lettered('password', 'é', /(?<![a-z])cl.$/i, ofWifi),
    lettered(
      'password',
      'ü',
      /(?:wlan|wi-?fi|netzwerk|wpa2?|zugangs|sicherheits|router)[- ]?schl.$/i,
      /ssel(?![a-z])/y,
    ),
    lettered('password', 'ö', /(?<![a-z])passw.$/i, /rter(?![a-z])/y),
    lettered('password', 'ł', /has.$/i, /o(?![a-z])/iy),
    lettered('password', 'şŞ', /./, /ifre(?:si|niz|m)?(?![a-z])/iy),
    lettered('password', 'ẩ', /kh.$/i, /u(?![a-z])/iy),
    lettered('password', 'ö', /l.$/i, /senord(?:et)?(?![a-z])/iy),
    lettered('password', 'น', /รหัสผ่าน$/),
    lettered('token', '키릿큰', /(?:비밀 ?키|시크릿(?: ?키)?|토큰|(?:API|인증|접근|접속|액세스|에이피아이) ?키)$/i),
    lettered('token', '鍵トーン', /(?:秘密鍵|シークレット(?:キー)?|トークン|(?:API|アクセス|認証) ?キー)$/i),
    lettered('token', '钥鑰牌', /(?:密钥|密鑰|秘钥|私钥|令牌)$/),
    lettered('token', 'нч', /(?<![а-яё])(?:токен|ключ)$/i, new RegExp(`${cases.source}(?: (?:API|доступа))?`, 'iy')),
    lettered('token', 'ü', /schl.$/i, /ssel(?![a-z])/y),
    lettered('token', 'é', /(?<![a-z])cl.$/i, /(?: d['’]| )(?:API|secr[eè]te|priv[eé]e|acc[eè]s|licence)(?![a-z])/iy),
  ].flat(),
);

/** The letters by which nouns are looked up. */
export const nounLetters: ReadonlySet<number> = new Set(
  Array.from(rowsByLetter.keys(), (letter) => letter.charCodeAt(0)),
);

/** The nouns in which the letter at `at` stands. */
export function wideNounsAt(text: string, at: number): readonly Noun[] {
  const before = text.slice(Math.max(0, at + 1 - longestBefore), at + 1);
  return (rowsByLetter.get(text.charAt(at)) ?? []).flatMap((row) => {
    const head = row.before?.exec(before);
    if (head === undefined || head === null) return [];
    const noun = fits(text, { ...row, before: undefined }, at, at + 1);
    return noun === undefined ? [] : [{ ...noun, start: at + 1 - (before.length - head.index) }];
  });
}
