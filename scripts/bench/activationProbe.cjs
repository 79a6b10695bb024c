/** Runs in the extension host for the activation bench: prints what the extension says of its own activation. */
const vscode = require('vscode');

exports.run = async () => {
  const extension = vscode.extensions.getExtension('agent-mascot.agent-mascot');
  if (!extension) throw new Error('the extension is not known to the editor');
  const exported = await extension.activate();
  console.log(JSON.stringify({ activationMs: exported?.activationMs ?? null }));
};
