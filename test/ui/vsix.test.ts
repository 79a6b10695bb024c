import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const file = path.join(import.meta.dirname, '../../agent-mascot.vsix');
const dist = path.join(import.meta.dirname, '../../dist');
const CENTRAL_ENTRY = 0x02014b50;

/** The names in a zip file, from its central directory. */
function namesIn(zip: Buffer): readonly string[] {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  const names: string[] = [];
  let at = zip.readUInt32LE(end + 16);
  while (zip.readUInt32LE(at) === CENTRAL_ENTRY) {
    const [name, extra, comment] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30), zip.readUInt16LE(at + 32)];
    names.push(zip.toString('utf8', at + 46, at + 46 + name));
    at += 46 + name + extra + comment;
  }
  return names;
}

test('OPS-3 the package is under 1.5 MB and holds no source map, test, source or node_modules', () => {
  const zip = readFileSync(file);
  expect(zip.length).toBeLessThan(1.5 * 1024 * 1024);
  const names = namesIn(zip);
  expect(names.filter((name) => /\.map$|\.ts$|node_modules|\btest\b|dist\/meta|recordings/.test(name))).toEqual([]);
});

test('OPS-4 the package holds every result of the build, at its place, and all translations', () => {
  const names = namesIn(readFileSync(file));
  const { outputs } = JSON.parse(readFileSync(path.join(dist, 'meta/programs.json'), 'utf8')) as { outputs: object };
  const wanted = [
    ...Object.keys(outputs),
    'dist/sql-wasm.wasm',
    'dist/webview/panel.js',
    'dist/forwarder/forward-to-mascot.mjs',
    'dist/forwarder/mascot.mjs',
    'media/activity.svg',
    'media/icon.png',
    'media/l10n/bundle.l10n.ko.json',
    'media/walkthrough/install.md',
    'media/walkthrough/install.nls.ko.md',
    ...['meet', 'moods', 'waits'].flatMap((name) =>
      ['dark', 'light', 'hc-black', 'hc-light'].map((theme) => `media/walkthrough/${name}-${theme}.png`),
    ),
    'package.json',
    'LICENSE.txt',
    'THIRD-PARTY-NOTICES.txt',
    'package.nls.json',
    'package.nls.ko.json',
  ];
  expect(wanted.filter((name) => !names.includes(`extension/${name}`))).toEqual([]);
});
