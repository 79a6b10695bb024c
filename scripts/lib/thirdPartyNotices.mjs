import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const HEAD = `Third-party software in Agent Mascot

The package holds parts of the software named below, under the licences that follow. sql.js holds SQLite, which its authors have
dedicated to the public domain (https://www.sqlite.org/copyright.html).
`;

/**
 * Names, versions and licence texts of all packages that these builds contain. Rejects if a package has no licence text.
 * @param {string} root
 * @param {readonly import('esbuild').Metafile[]} metafiles
 */
export async function thirdPartyNotices(root, metafiles) {
  const inputs = metafiles.flatMap(({ inputs }) => Object.keys(inputs));
  const folders = new Set(inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []));
  const found = await Promise.all([...folders].map((folder) => licenceIn(path.join(root, folder))));
  /** @type {Map<string, string[]>} */
  const byText = new Map();
  for (const { name, text } of found.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    byText.set(text, [...(byText.get(text) ?? []), name]);
  const sections = [...byText].map(([text, names]) => `${'-'.repeat(80)}\n${names.join(', ')}\n\n${text}\n`);
  return [HEAD, ...sections].join('\n');
}

/** @param {string} folder  of a package */
async function licenceIn(folder) {
  const { name, version, license } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  const files = await readdir(folder);
  const file = files.find((each) => /^licen[cs]e/i.test(each));
  const readme = files.find((each) => /^readme/i.test(each));
  const text = file
    ? await readFile(path.join(folder, file), 'utf8')
    : /^#+ *licen[cs]e[^\n]*\n([^]*)/im.exec(readme ? await readFile(path.join(folder, readme), 'utf8') : '')?.[1];
  if (!text?.trim())
    throw new Error(`${name} is bundled, but neither a licence file nor its readme has its licence text`);
  return { name: `${name} ${version} (${license})`, text: text.replaceAll('\r\n', '\n').trim() };
}
