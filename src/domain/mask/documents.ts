import { looksRandom } from './entropy.ts';
import { isPlaceholder } from './placeholders.ts';
import { isCredentialFile } from './files.ts';
import type { Span } from './span.ts';
import { looksSaid } from './spoken.ts';
import { tableSecrets } from './tables.ts';

/** Secrets in files whose single lines do not show that they are secrets; another part of the text does. */
interface Form {
  readonly kind: string;
  /** A text without any of these words has no such secret. */
  readonly marks: readonly string[];
  /** Global, with the secret as its only group. Must not backtrack over the same letters. */
  readonly pattern: RegExp;
}

function form(kind: string, marks: string, pattern: RegExp): Form {
  return { kind, marks: marks.split('|'), pattern };
}

const forms: readonly Form[] = [
  form(
    'private-key',
    'Private-Lines: ',
    /Private-Lines: \d{1,4}(?:\r?\n|\\n)((?:[A-Za-z0-9+/=]{1,80}(?:\r?\n|\\n|$)){1,200})/g,
  ),
  form(
    'private-key',
    '---- BEGIN SSH2 ENCRYPTED|BEGIN OpenVPN Static key',
    /BEGIN (?:SSH2 ENCRYPTED PRIVATE KEY|OpenVPN Static key V1) ?----?-?(?:\r?\n|\\n)([^-]{20,8000})(?=----)/g,
  ),
  form('private-key', 'kty"|kty\'|kty:', /["'](?:d|p|q|dp|dq|qi|k)\\?["'] ?: ?\\?["']([A-Za-z0-9_-]{20,2000})/g),
  form(
    'password',
    ':5432:|:5433:|:6432:|:*:',
    /^[\w.*-]{1,100}:(?:\d{4,5}|\*):[\w.*-]{1,64}:[\w.*@-]{1,64}:(\S{4,200})$/gm,
  ),
  form('cookie', '\tTRUE\t|\tFALSE\t', /\t(?:TRUE|FALSE)\t\d{1,12}\t[^\t\n]{1,100}\t(\S{8,4096})/g),
  form('password', '@tcp(|@unix(', /[\w.-]{1,64}:([^\s@"'`]{3,100})@(?:tcp|unix)\(/g),
  form('password', 'oracle:', /oracle:(?:thin|oci):[\w$#]{1,60}\/([^\s@"'/]{3,60})@/g),
  form('secret', 'sername', /\bkey\\?["']?\s?[:=]\s?\\?["']([0-9a-f]{32}(?:-[0-9a-f]{8}){0,2})\b/g),
  form('secret', 'secret_id=', /\bsecret_id=([0-9a-f]{8}-[0-9a-f-]{27})\b/g),
  form('token', 'oauth:', /\boauth:([a-z0-9]{30})\b/g),
  form('password', 'successfully reset.', /^Password for the .{1,60} successfully reset\.\nNew value: (\S{8,64})/gm),
  form(
    'private-key',
    'eypair|ecretKey|ecret_key',
    /(?:eypair|ecretKey|ecret_key)[^\n[\]]{0,40}\[((?:\s?\d{1,3},){63}\s?\d{1,3})\]/g,
  ),
  form('password', 'auth-user-pass', /auth-user-pass\b[^\n]*\n(?:[#;][^\n]*\n){0,3}\S{1,80}\n(?=\S*\d)(\S{6,80})$/gm),
  form('private-key', 'password 51:b:', /^password 51:b:([0-9A-F]{20,4000})/gim),
  form('private-key', 'eyFile|eyfile', /[kK]ey[fF]ile\b[^\n]{0,60}\n((?:[A-Za-z0-9+/=]{40,100}(?:\n|$)){1,20})/g),
  form('password', '.toCharArray', /"([^"\s\\]{4,100})"\s?\.toCharArray\(\)/g),
  form('password', 'password\nV ', /^K 8\npassword\nV \d{1,3}\n(\S[^\n]{2,200})$/gm),
  form(
    'password',
    'chpasswd:',
    /chpasswd:\s[^\n]{0,40}\n(?:[^\n:]{0,40}:[ \t]*[|>]?-?[ \t]*\n)?\s{0,40}(?:- )?\w[\w-]{0,40}:(\S{3,200})/g,
  ),
  form('secret', '00D', /\b00D[A-Za-z0-9]{12,15}!([\w.]{60,200})/g),
  form('token', '1/|2/', /\b[12]\/\d{12,20}(?:\/\d{12,20})?:([0-9a-f]{32})\b/g),
  form('secret', 'AC', /\bAC[0-9a-f]{32}["']?[\s,:]{1,3}\\?["']?([0-9a-f]{32})\b/g),
  form('secret', 'sonar.login', /sonar\.login[=: ]{1,3}(\w{20,64})/g),
  form(
    'private-key',
    'accounts|Keys|Wallet|private key',
    /(?:accounts|[kK]eys?|Wallet)\\?["']?\s?[:=(]\s?\[?\s{0,40}\\?["'](?:0x)?([0-9a-fA-F]{64})\b/g,
  ),
  form(
    'password',
    'hrase|nemonic|NEMONIC|HRASE',
    /(?:phrase|mnemonic|recovery words)\\?["']?\s{0,3}(?:is|[:=])\s{0,3}\\?["']?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})/gi,
  ),
];

const kubernetesValue =
  /^[ \t]+\\?["']?[\w.-]{1,120}\\?["']?:[ \t]{0,8}["']?([A-Za-z0-9+/]{8,65536}={0,2})["']?,?[ \t]*$/;
/** Below `stringData:` nothing is encoded. */
const plainValue =
  /^[ \t]+["']?[\w.-]{0,100}(?:key|token|secret|pass\w{0,6}|pwd|dsn|credentials?)["']?:[ \t]{1,8}["']?([^\s"'|>{}]{6,4096})["']?[ \t]*$/i;
/** User names and addresses stand there as well. */
const otherValue =
  /^[ \t]+["']?(?!\S*(?:user|name|host|url|uri|port|region|path|version|email)\b)[\w.-]{1,100}["']?:[ \t]{1,8}["']?([^\s"'|>{}]{6,256})["']?[ \t]*$/i;
const kubernetesKind = /["']?kind["']?:[ \t]{0,4}["']?Secret\b/;

function otherSecret(line: string, held: RegExp): string | undefined {
  const value = held === plainValue ? otherValue.exec(line.trimEnd())?.[1] : undefined;
  return value !== undefined && looksSaid(value, true) ? value : undefined;
}

/** The values below `data:` and `stringData:` of a Kubernetes Secret; the indents show where a part ends. */
function kubernetesSecrets(text: string): readonly Span[] {
  if (!text.includes('Secret') || !kubernetesKind.test(text)) return [];
  const spans: Span[] = [];
  let [at, inData, indent] = [0, false, 0];
  let held = kubernetesValue;
  while (at < text.length) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(at, Math.min(end, at + 66_000));
    const depth = /^[ \t]*/.exec(line)?.[0].length ?? 0;
    const block = /^[ \t]*["']?(data|stringData)["']?:[ \t]*\{?[ \t\r]*$/.exec(line)?.[1];
    if (block !== undefined) [inData, indent, held] = [true, depth, block === 'data' ? kubernetesValue : plainValue];
    else if (inData && depth <= indent && line.trim() !== '') inData = false;
    const value = inData ? (held.exec(line.trimEnd())?.[1] ?? otherSecret(line, held)) : undefined;
    if (value !== undefined) {
      const start = at + line.lastIndexOf(value);
      spans.push({ start, end: start + value.length, kind: 'secret' });
    }
    at = end + 1;
  }
  return spans;
}

const byteList = /\[((?:\s?\d{1,3},){63}\s?\d{1,3})\s?\]/g;

/** A key pair as wallets write it: 64 bytes. Tables of 64 numbers are not as varied. */
function keyPairs(text: string): readonly Span[] {
  return Array.from(text.matchAll(byteList)).flatMap(({ index, 1: list = '' }) => {
    const bytes = list.split(',').map(Number);
    const isVaried = new Set(bytes).size >= 44 && Math.max(...bytes) > 200 && Math.max(...bytes) < 256;
    return isVaried ? [{ start: index + 1, end: index + 1 + list.length, kind: 'private-key' }] : [];
  });
}

/** Where a text quotes a file and says which: the file's path, and the contents as the pattern's last group. */
const quotations: readonly { readonly marks: readonly string[]; readonly pattern: RegExp }[] = [
  {
    marks: ['[read_file for '],
    pattern: /\[read_file for '([^'\n]{1,300})'\] Result:\n((?:(?!\[read_file for )[^\n]*\n?){1,4000})/g,
  },
  { marks: ['==> '], pattern: /^==> ([^\n]{1,300}) <==\n((?:(?!==> )[^\n]*\n?){1,4000})/gm },
  {
    marks: ['<file', '<document', '<read_file'],
    pattern:
      /<(?:file|file_content|document|file_contents|read_file)\s[^<>\n]{0,40}?(?:path|name|filename|source)=\\?["']([^"'\n\\]{1,300})\\?["'][^<>\n]{0,80}>((?:(?!<\/(?:file|document|read_file))[^]){1,60000})/g,
  },
  {
    marks: ['```'],
    pattern: /^```[\w-]{0,20}[ :](?:title=|file=)?["']?([^\s"'`]{3,300})["']?\n((?:(?!```)[^\n]*\n){1,2000})/gm,
  },
  // The name alone on a line, then one that is a key.
  { marks: ['\n'], pattern: /^(?:#|\/\/|;|--) ?([\w./~-]{3,200})\n([\w+/=.-]{20,200})$/gm },
];

function quotedFiles(text: string): readonly Span[] {
  return quotations.flatMap(({ marks, pattern }, index) => {
    if (!marks.some((mark) => text.includes(mark))) return [];
    return Array.from(text.matchAll(pattern)).flatMap((found) => {
      const [whole, path = '', content = ''] = found;
      const isKey = index < quotations.length - 1 || looksRandom(content);
      if (!isKey || content.trim() === '' || !isCredentialFile(path)) return [];
      const start = found.index + whole.length - content.length;
      return [{ start, end: start + content.trimEnd().length, kind: 'file-content' }];
    });
  });
}

/** A name, an id or a path. Every form above has white space, a quote, a bracket, or one of `:`, `=`, `@`, `!` in it. */
const soleWord = /^[\w./-]*$/;

/** All secrets that only their file's format reveals. */
export function documentSecrets(text: string): readonly Span[] {
  if (soleWord.test(text)) return [];
  const spans: Span[] = [...kubernetesSecrets(text), ...tableSecrets(text), ...keyPairs(text), ...quotedFiles(text)];
  for (const { kind, marks, pattern } of forms) {
    if (!marks.some((mark) => text.includes(mark))) continue;
    for (const found of text.matchAll(pattern)) {
      const secret = found[1] ?? '';
      if (isPlaceholder(secret) || (kind === 'cookie' && !looksRandom(secret))) continue;
      const start = found.index + found[0].lastIndexOf(secret);
      spans.push({ start, end: start + secret.length, kind });
    }
  }
  return spans;
}
