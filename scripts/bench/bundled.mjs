import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/**
 * What these files of the source export, as one module: loaded file by file it would be read from TypeScript each time.
 * @param {string} root
 * @param {string} scratch
 * @param {readonly string[]} files
 * @param {string[]} external  what is asked for only where it is there
 */
export async function bundled(root, scratch, files, external = []) {
  const outfile = path.join(scratch, 'source.cjs');
  await build({
    stdin: { contents: files.map((file) => `export * from './${file}';`).join('\n'), resolveDir: root, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external,
    logLevel: 'error',
  });
  return import(pathToFileURL(outfile).href);
}
