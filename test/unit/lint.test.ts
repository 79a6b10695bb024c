import { ESLint } from 'eslint';
import { describe, expect, test } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;
// The rules that need types are the compiler's business; building a program for each snippet would take half a minute.
const typed = ['no-floating-promises', 'no-misused-promises', 'switch-exhaustiveness-check'];
const eslint = new ESLint({
  cwd: root,
  overrideConfig: {
    languageOptions: { parserOptions: { projectService: false } },
    rules: Object.fromEntries(typed.map((rule) => [`@typescript-eslint/${rule}`, 'off'])),
  },
});

async function messages(filePath: string, code: string): Promise<readonly string[]> {
  const [result] = await eslint.lintText(code, { filePath: `${root}/${filePath}` });
  return (result?.messages ?? []).map(({ message }) => message);
}

/** File, code that breaks a rule, and a piece of the message that says what to do instead. */
const bans: readonly [string, string, string][] = [
  [
    'src/protocol/json.ts',
    "import { claude } from '../domain/providers/claude/claude.ts'; claude;",
    'protocol is the words on the wire',
  ],
  ['src/protocol/limits.ts', "import { z } from 'zod'; z;", 'parsed once'],
  ['src/domain/order.ts', "import { createHub } from '../app/hub.ts'; createHub;", 'domain is pure'],
  ['src/domain/order.ts', "import fs from 'node:fs'; fs;", 'src/app/ports.ts'],
  ['src/domain/order.ts', "import { z } from 'zod'; z;", 'at the door'],
  ...['src/protocol/state.ts', 'src/domain/normalize.ts', 'src/node/store/location.ts'].map(
    (file) => [file, "import { z } from 'zod'; z;", 'zod/mini'] as [string, string, string],
  ),
  ['src/domain/order.ts', 'export const now = () => Date.now();', 'Clock port'],
  ['src/domain/order.ts', 'export const dice = () => Math.random();', 'Randomness enters'],
  ['src/domain/order.ts', 'export const wait = () => setTimeout(() => {}, 1);', 'Use a port'],
  ['src/app/hub.ts', "import { startCollector } from '../node/collector/server.ts'; startCollector;", 'add a port'],
  ['src/app/hub.ts', "import * as vscode from 'vscode'; vscode;", 'src/vscode'],
  ['src/app/hub.ts', "import { WebSocket } from 'ws'; WebSocket;", 'src/node'],
  ['src/node/machine/clock.ts', "import * as vscode from 'vscode'; vscode;", 'reached through src/vscode'],
  [
    'src/node/machine/clock.ts',
    "import { createHub } from '../../app/hub.ts'; createHub;",
    'only src/app/{ports,sourcePorts,windowPorts,workPorts,shelfPorts,outletPorts,changePorts,erasurePorts}.ts',
  ],
  ['src/vscode/log.ts', "import { homeAt } from '../node/machine/home.ts'; homeAt;", 'src/startWindow.ts wire'],
  [
    'src/vscode/log.ts',
    "import { createHub } from '../app/hub.ts'; createHub;",
    'src/app/{ports,windowPorts,outletPorts}.ts, and hooks',
  ],
  ['src/cli/text.ts', "import { homeAt } from '../node/machine/home.ts'; homeAt;", 'let src/mascot.ts wire'],
  ['src/cli/text.ts', "import { WebSocket } from 'ws'; WebSocket;", 'src/node'],
  ['src/node/machine/clock.ts', "import { x } from '../../../forwarder/deliver.ts'; x;", 'meant for both'],
  ['src/vscode/log.ts', "import { readFile } from 'node:fs'; readFile;", 'adapter lives in src/node'],
  ['webview/main.ts', "import { z } from 'zod'; z;", 'at the door'],
  ['webview/main.ts', "import { moods } from '../src/protocol/state.ts'; moods;", 'import type'],
  ['webview/main.ts', "import { diff } from '../src/domain/diff.ts'; diff;", 'knows only types'],
  ['webview/main.ts', "void fetch('http://x');", 'webview/port.ts'],
  ['forwarder/main.ts', "import { z } from 'zod'; z;", 'nothing is installed'],
  [
    'forwarder/main.ts',
    "import { hookMetaSchema } from '../src/protocol/hook.ts'; hookMetaSchema;",
    'discovery.ts, limits.ts, handOver.ts and providers.ts',
  ],
  ['forwarder/main.ts', "import { hashHex } from '../src/domain/hash.ts'; hashHex;", 'stands alone'],
  ['src/domain/order.ts', 'export default 1;', 'Export by name'],
  ['src/domain/order.ts', "export * from './hash.ts';", 'No barrels'],
  ['src/domain/order.ts', "export { hashHex } from './hash.ts';", 'No re-exports'],
  ['src/domain/order.ts', 'let count = 0; export const next = () => count++;', 'No mutable module state'],
  ['src/domain/order.ts', 'export let count = 0; count++;', 'No mutable module state'],
  ['src/domain/order.ts', 'const seen = new Map(); export const has = (k: string) => seen.has(k);', 'mutable state'],
  ['src/domain/order.ts', '\n'.repeat(601), 'too many lines'],
  ['src/domain/order.test.ts', '\n'.repeat(801), 'too many lines'],
];

describe('the layers are held by lint', () => {
  test.each(bans)('%s: %j is refused with what to do instead', async (file, code, words) => {
    expect((await messages(file, code)).join('\n')).toContain(words);
  });

  test('what is allowed passes', async () => {
    const allowed: readonly [string, string][] = [
      [
        'webview/main.ts',
        "import type { Mood } from '../src/protocol/state.ts';\nexport const mood = (m: Mood) => m;\n",
      ],
      [
        'forwarder/main.ts',
        "import { DEFAULT_PORT } from '../src/protocol/limits.ts';\nimport { platform } from 'node:os';\nexport const x = [DEFAULT_PORT, platform()];\n",
      ],
      ['src/domain/providers/claude/hooks.ts', "import * as z from 'zod/mini';\nexport const s = z.string();\n"],
      ['src/vscode/log.ts', "import * as vscode from 'vscode';\nexport const v = vscode.version;\n"],
    ];
    for (const [file, code] of allowed) expect(await messages(file, code), file).toEqual([]);
  });
});
