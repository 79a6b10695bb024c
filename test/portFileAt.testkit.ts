import { readFileSync } from 'node:fs';
import { parsePortFile, type PortFile } from '../src/protocol/discovery.ts';

/** What the port file says now. Its owner may remove it at any moment, also between a look and a read. */
export function portFileAt(file: string): PortFile | undefined {
  try {
    return parsePortFile(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
