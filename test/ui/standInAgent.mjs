/**
 * Stands in for an agent's program in a real terminal: it fires the hooks that it is told of, one JSON a line in a pipe, through
 * the built forwarder, so that they carry this process and its terminal.
 */
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

const [forwarder = '', pipe = ''] = process.argv.slice(2);
process.stdout.write(`stand-in ${process.pid} listens\n`);
// The pipe has an end whenever nobody writes.
for (;;) {
  for await (const line of createInterface(createReadStream(pipe))) {
    if (line === 'exit') process.exit(0);
    await new Promise((resolve) => {
      const child = spawn(process.execPath, [forwarder, '--provider', 'claude'], {
        stdio: ['pipe', 'ignore', 'inherit'],
      });
      child.on('close', resolve);
      child.stdin.end(`${line}\n`);
    });
  }
}
