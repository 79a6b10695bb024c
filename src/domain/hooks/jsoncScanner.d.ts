/** The package's main file loads its parts in a way that no bundler can follow; its scanner alone needs no other part. */
declare module 'jsonc-parser/lib/esm/impl/scanner.js' {
  import type { JSONScanner } from 'jsonc-parser';

  export function createScanner(text: string, ignoreTrivia?: boolean): JSONScanner;
}
