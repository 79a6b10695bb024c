/**
 * zod carries its messages in fifty languages, a quarter of our whole program, reachable by a namespace that nobody here uses:
 * what people read is ours, and localised by us. The English ones come with zod's own entry, past this file.
 *
 * @type {import('esbuild').Plugin}
 */
export const oneLanguage = {
  name: 'one-language',
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
      loader: 'js',
    }));
  },
};
