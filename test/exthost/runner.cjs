/**
 * Stands in the extension host before the real test entry point (scripts/vscode-stand-in.mjs puts it there), so that
 * what the tests print reaches the terminal instead of the workbench's log.
 */
const { connect } = require('node:net');
const { format } = require('node:util');
const { pathToFileURL } = require('node:url');

exports.run = async () => {
  const { VSCODE_TEST_OUTPUT: socket, VSCODE_TEST_ENTRY: entry } = process.env;
  if (!socket || !entry)
    throw new Error('started without scripts/vscode-stand-in.mjs: name the tests themselves as extensionTestsPath');
  const output = connect(socket);
  const print = (/** @type {unknown[]} */ ...values) => output.write(`${format(...values)}\n`);
  // The extension host gave the console setters that ignore assignment; lines for process.stdout go through it too.
  for (const level of ['log', 'info', 'warn', 'error', 'debug'])
    Object.defineProperty(console, level, { value: print });
  try {
    const tests = await import(pathToFileURL(entry).href);
    await (tests.run ?? tests.default.run)();
  } catch (error) {
    print(error instanceof Error ? (error.stack ?? error.message) : error);
    throw error;
  } finally {
    await new Promise((resolve) => output.end(() => resolve(undefined)));
  }
};
