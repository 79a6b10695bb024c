const LINE_END = 0x0a;

/** A writer that is seen at every byte must not leave us a list of single bytes. */
const PIECES_MAX = 64;

/** Cuts bytes into lines, whatever the pieces they come in: text is made of whole lines only, so no character is ever cut. */
export interface LineSplitter {
  /** The lines that these bytes complete. */
  push(bytes: Buffer): readonly string[];
  /** Bytes since the last line end, kept or not. */
  pending(): number;
  clear(): void;
}

/** Lines of more than `maxLineBytes` are passed over without being kept. */
export function createLineSplitter(maxLineBytes: number): LineSplitter {
  let kept: Buffer[] = [];
  let pending = 0;

  function clear(): void {
    kept = [];
    pending = 0;
  }

  function keep(bytes: Buffer): void {
    pending += bytes.length;
    if (pending > maxLineBytes) kept = [];
    // A copy: the bytes lie in a buffer that is read into again.
    else if (bytes.length > 0) kept.push(Buffer.from(bytes));
    if (kept.length > PIECES_MAX) kept = [Buffer.concat(kept)];
  }

  return {
    push(bytes) {
      const first = bytes.indexOf(LINE_END);
      if (first < 0) {
        keep(bytes);
        return [];
      }
      const end = bytes.lastIndexOf(LINE_END) + 1;
      const tooLong = pending + first > maxLineBytes;
      const whole = tooLong ? bytes.subarray(first + 1, end) : joined(kept, bytes.subarray(0, end));
      clear();
      keep(bytes.subarray(end));
      return textLines(whole);
    },
    pending: () => pending,
    clear,
  };
}

function joined(kept: readonly Buffer[], rest: Buffer): Buffer {
  return kept.length === 0 ? rest : Buffer.concat([...kept, rest]);
}

/** Lines of text without their ends; empty ones say nothing. What is no UTF-8 becomes U+FFFD. */
export function textLines(bytes: Buffer): readonly string[] {
  const text = bytes.toString('utf8');
  // A machine that lost power leaves a block of NULs where the next line goes on.
  const lines = (text.includes('\0') ? text.replaceAll('\0', '') : text).split('\n');
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)).filter((line) => line !== '');
}
