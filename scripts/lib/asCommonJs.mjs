import { transform } from 'esbuild';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Rewrites each output file as CommonJS. esbuild shares code between programs only in ES modules, but an editor loads an extension as
 * CommonJS.
 *
 * @param {string} target
 * @returns {import('esbuild').Plugin}
 */
export function asCommonJs(target) {
  return {
    name: 'as-common-js',
    setup(build) {
      const { minify = false } = build.initialOptions;
      build.initialOptions.write = false;
      build.onEnd(async ({ outputFiles = [] }) => {
        await Promise.all(
          outputFiles.map(async (file) => {
            // An extension gets `vscode` only from the editor's own `require`, which `import()` would bypass.
            const supported = { 'dynamic-import': false };
            const { code } = await transform(file.text, { format: 'cjs', platform: 'node', minify, target, supported });
            await mkdir(path.dirname(file.path), { recursive: true });
            // Removes esbuild's helper around `require("vscode")`, which copies all names of `vscode` in each file, one by one. The
            // helper's name may be `$`.
            const direct = code.replace(/(?<![\w$.])[\w$]+\(require\("vscode"\)\)/g, 'require("vscode")');
            await writeFile(file.path, direct);
          }),
        );
      });
    },
  };
}
