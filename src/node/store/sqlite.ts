import initSqlJs, { type SqlJsStatic } from 'sql.js';

export type Sqlite = SqlJsStatic;

/** Node has it, but only the browser's types say so. */
declare const WebAssembly: { validate(bytes: Uint8Array | ArrayBuffer): boolean };

/** Rejects, with what to do, if these are not the bytes of sql.js' WebAssembly. */
export async function loadSqlite(wasm: Uint8Array | ArrayBuffer): Promise<Sqlite> {
  // sql.js keeps its first answer for the life of the process, and leaves an unhandled rejection beside a bad one.
  if (!WebAssembly.validate(wasm)) {
    throw new Error('sql-wasm.wasm is damaged or not the whole file. Install the extension again.');
  }
  // Typed as an ArrayBuffer, but all that is done with it is WebAssembly.instantiate, which takes a view as well.
  return initSqlJs({ wasmBinary: wasm as ArrayBuffer });
}
