import { readFile } from 'node:fs/promises';

/**
 * For esbuild, which leaves templates as they are: the style sheets in them without comments and spaces, and all of them without
 * indentation and the last zeros of a drawing's numbers, a tenth of the panel's code. No text in the panel's own files means its indentation.
 *
 * @type {import('esbuild').Plugin}
 */
export const tightStyles = {
  name: 'tight-styles',
  setup(build) {
    build.onLoad({ filter: /[\\/]webview[\\/].*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text
        .replace(/\bcss`([^`$\\]*)`/g, (_, sheet) => `css\`${tight(sheet)}\``)
        .replace(/\n[ \t]+/g, '\n')
        .replace(/(\d\.\d)00\b/g, '$1');
      return { contents, loader: 'ts' };
    });
  },
};

/** @param {string} sheet */
export function tight(sheet) {
  return sheet
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/([{};,(]) /g, '$1')
    .replace(/ ([{};)])/g, '$1')
    .replace(/([{;][a-z-]+): /g, '$1:')
    .replaceAll(';}', '}')
    .trim();
}
