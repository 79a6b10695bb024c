import assert from 'node:assert/strict';
import * as vscode from 'vscode';

const ID = 'agent-mascot.agent-mascot';

describe('the extension in a real extension host', () => {
  it('COL-1 is known to the editor and activates', async () => {
    const extension = vscode.extensions.getExtension(ID);
    assert.ok(
      extension,
      `${ID} is not known: the known ones are ${vscode.extensions.all.map(({ id }) => id).join(', ')}`,
    );
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  it('UI-9 runs where the agents run', () => {
    assert.equal(vscode.extensions.getExtension(ID)?.extensionKind, vscode.ExtensionKind.Workspace);
  });
});
