import { isQuote, wordBefore } from './chars.ts';
import { judge } from './judge.ts';
import type { NameClass } from './names.ts';
import type { Reading } from './reading.ts';
import type { Span } from './span.ts';
import { tokenKind } from './tokens.ts';
import { bareAt } from './values.ts';

/** `<add key="Password">`, `<Pass encoding="base64">`: what the opening tag that ends here names. */
function nameOfElement(before: string): string | undefined {
  const attribute = /<\w[^<>]{0,60}(?:key|name)=\\?["']([\w.-]{3,80})\\?["']$/.exec(before)?.[1];
  return attribute ?? /<(\w{3,40})(?:\s{1,4}[\w:.-]{1,30}=\\?["'][^"'<>]{0,60}["']){1,4}$/.exec(before)?.[1];
}

/** `<password>…</password>`: the secret in the element whose opening tag ends at `close`. */
export function elementSecret(reading: Reading, close: number): Span | undefined {
  const { text, classOf } = reading;
  const attribute = isQuote(text.charCodeAt(close - 1))
    ? nameOfElement(text.slice(Math.max(0, close - 160), close))
    : undefined;
  if (attribute !== undefined) return elementValue(reading, close, classOf(attribute));
  const start = wordBefore(text, close);
  if (start === close || (text[start - 1] !== '<' && text[start - 1] !== ':')) return undefined;
  const element = text.slice(start, close);
  const before = text.slice(Math.max(0, start - 140), start);
  // A property list has the name in an element of its own before the value, others in the element around it.
  const key =
    element === 'string'
      ? /<key>([\w.-]{2,80})<\/key>\s{0,40}<$/.exec(before)
      : /^value$/i.test(element)
        ? /<([\w.-]{2,80})>\s{0,40}<$/.exec(before)
        : null;
  return elementValue(reading, close, classOf(key?.[1] ?? element));
}

function elementValue(reading: Reading, close: number, nameClass: NameClass | undefined): Span | undefined {
  const { text } = reading;
  if (nameClass === undefined) return undefined;
  const value = bareAt(reading, close + 1, 'element');
  if (value === undefined || !text.startsWith('</', value.end)) return undefined;
  const kind = judge(nameClass, value.text, 'literal');
  return kind === undefined
    ? undefined
    : { start: value.start, end: value.end, kind: tokenKind(text, value.start, value.end) ?? kind };
}
