import { readFileSync } from 'node:fs';
import path from 'node:path';

const folder = path.join(import.meta.dirname, '../../../../test/recordings/claude/transcripts');

/** A file that a real Claude Code wrote, as it is. */
export function recordedFile(name: string): string {
  return readFileSync(path.join(folder, name), 'utf8');
}

export function recordedLines(name: string): readonly string[] {
  return recordedFile(name)
    .split('\n')
    .filter((line) => line !== '');
}
