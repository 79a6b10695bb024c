import type { Surface } from '../protocol/state.ts';

const surfaceByEntrypoint: Readonly<Record<string, Surface>> = {
  cli: 'terminal',
  tui: 'terminal',
  'codex-tui': 'terminal',
  codex_cli_rs: 'terminal',
  'sdk-cli': 'headless',
  'sdk-ts': 'headless',
  'sdk-py': 'headless',
  sdk: 'headless',
  mcp: 'headless',
  exec: 'headless',
  codex_exec: 'headless',
  'claude-code-github-action': 'headless',
  'claude-vscode': 'panel',
  vscode: 'panel',
  codex_vscode: 'panel',
  'claude-jetbrains': 'panel',
  'claude-desktop': 'panel',
};

/** Where an agent runs, from its own word for how it was started; undefined when it does not say. */
export function surfaceOf(entrypoint: string | undefined): Surface | undefined {
  if (entrypoint === undefined || entrypoint === '') return undefined;
  const known = Object.hasOwn(surfaceByEntrypoint, entrypoint) ? surfaceByEntrypoint[entrypoint] : undefined;
  return known ?? (/^sdk-/.test(entrypoint) ? 'headless' : 'unknown');
}
