import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import type { ExtensionApi } from '../../src/startWindow.ts';
import type { Snapshot } from '../../src/protocol/state.ts';
import { commandIds, extensionId } from '../../src/vscode/ids.ts';

const home = process.env['AGENT_MASCOT_HOME'] ?? path.join(process.env['HOME'] ?? '', '.agent-mascot');

async function api(): Promise<ExtensionApi> {
  const extension = vscode.extensions.getExtension<ExtensionApi>(extensionId);
  assert.ok(extension);
  return await extension.activate();
}

/** The editor offers no event for another extension's state, so this looks again each time the loop is free. */
async function until(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setTimeout(resolve, 10));
}

interface PortFile {
  readonly url: string;
  readonly token: string;
  readonly app: string;
}
const portFile = () => JSON.parse(readFileSync(path.join(home, 'collector.json'), 'utf8')) as PortFile;

describe('the running extension', () => {
  it('OPS-3 it measures its own activation, which does not wait for the collector', async () => {
    const { activationMs, snapshot } = await api();
    assert.ok(activationMs > 0, String(activationMs));
    await until(() => snapshot().owner !== null);
    console.log(`activation: ${activationMs.toFixed(1)} ms to the return of activate`);
  });

  it('COL-1 the collector runs in this host and answers on loopback', async () => {
    const { snapshot } = await api();
    await until(() => snapshot().owner !== null);
    const { url, app } = portFile();
    assert.equal(app, vscode.env.appName);
    assert.equal(await (await fetch(`${url}/health`)).text(), 'ok');
  });

  it('COL-4 an event that is posted is part of the state when it is answered', async () => {
    const { snapshot } = await api();
    await until(() => snapshot().owner !== null);
    const { url, token } = portFile();
    const reply = await fetch(`${url}/ingest`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 'exthost', cwd: '/p', prompt: 'hello' }),
    });
    assert.equal(reply.status, 200);
    const state: Snapshot = snapshot();
    assert.deepEqual(
      state.sessions.filter(({ id }) => id === 'exthost').map(({ phase, title }) => ({ phase, title })),
      [{ phase: 'busy', title: 'hello' }],
    );
  });

  it('UI-1 every command is registered', async () => {
    await api();
    const known = await vscode.commands.getCommands(true);
    assert.deepEqual(
      Object.values(commandIds).filter((id) => !known.includes(id)),
      [],
    );
  });

  it('OPS-1 diagnostics hold versions and numbers, no token, no prompt', async () => {
    await api();
    await vscode.commands.executeCommand(commandIds.copyDiagnostics);
    const text = await vscode.env.clipboard.readText();
    if (text === '') return; // A browser without permission keeps its clipboard; the workbench's own test reads it.
    assert.match(text, /Agent Mascot \d+\.\d+\.\d+ in /);
    assert.ok(!text.includes(portFile().token) && !text.includes('hello'));
  });

  it('OPS-2 a change of the port reaches what forwarders read', async () => {
    await api();
    const section = vscode.workspace.getConfiguration('agentMascot');
    const written = () =>
      (JSON.parse(readFileSync(path.join(home, 'settings.json'), 'utf8')) as { collectorPort: number }).collectorPort;
    await section.update('collector.port', 45_678, vscode.ConfigurationTarget.Global);
    await until(() => written() === 45_678);
    await section.update('collector.port', undefined, vscode.ConfigurationTarget.Global);
    await until(() => written() === 4820);
  });

  it('UI-2 the panel can be shown, and going to the longest wait shows it too', async () => {
    await api();
    await vscode.commands.executeCommand(commandIds.showPanel);
    await vscode.commands.executeCommand(commandIds.goToLongestWait);
  });

  it('HKI-1 installing asks where, and writes nothing when nothing is chosen', async () => {
    await api();
    const settings = path.join(process.env['HOME'] ?? '', '.claude', 'settings.json');
    const before = existsSync(settings);
    let ended = false;
    const asked = Promise.resolve(vscode.commands.executeCommand(commandIds.installHooks)).finally(
      () => (ended = true),
    );
    await until(() => {
      void vscode.commands.executeCommand('workbench.action.closeQuickOpen');
      return ended;
    });
    await asked;
    assert.equal(existsSync(settings), before);
  });

  it('STA-3 a state is explained in a document that has the hooks which led to it', async () => {
    const { snapshot } = await api();
    await until(() => snapshot().owner !== null);
    await vscode.commands.executeCommand(commandIds.explainState, 'exthost');
    const shown = () => vscode.window.tabGroups.activeTabGroup.activeTab?.label ?? '';
    await until(() => shown().includes('Explain This State'));
    const document = vscode.workspace.textDocuments.find(({ uri }) => uri.query === 'exthost');
    assert.equal(document?.languageId, 'markdown');
    assert.match(
      document?.getText() ?? '',
      /`hello`[^]*`UserPromptSubmit` said: a prompt was submitted → \*\*Working\*\*/,
    );
  });

  it('STA-3 of a session that nobody knows no document is opened', async () => {
    await api();
    const tabs = () => vscode.window.tabGroups.all.flatMap((group) => group.tabs.map(({ label }) => label));
    const before = tabs();
    await vscode.commands.executeCommand(commandIds.explainState, { sessionId: 'unheard of' });
    assert.deepEqual(tabs(), before);
  });
});
