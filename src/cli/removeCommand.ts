import { type Command, noWords, printJson } from './command.ts';
import { exitCodes } from './failure.ts';
import { printable } from './text.ts';

/** HKI-6. */
export const removeCommand: Command = {
  summary: 'take every hook out, and delete all that Agent Mascot keeps on this machine',
  options: { yes: { words: 'remove without asking' } },
  words: noWords,
  needsPerson: true,
  async run(call) {
    const { terminal } = call.world;
    const kit = await call.world.kit();
    if (!call.args.has('yes')) {
      const files = (await kit.filesToRemoveFrom()).map((file) => `  our hooks in ${printable(file)}`);
      const lines = [
        'This removes, for good:',
        ...files,
        '  the home of Agent Mascot, with its backups of settings',
        '  all stored sessions',
      ];
      if (!call.json) terminal.out(lines.join('\n'));
      const asks = terminal.isInteractive && !call.json;
      const answer = asks ? await terminal.ask('Type "remove" to go on: ') : undefined;
      if (answer?.trim().toLowerCase() !== 'remove') {
        const why = asks ? 'Nothing was removed.' : 'Nothing was removed: give --yes to remove all this.';
        if (call.json) printJson(call, { done: [], failed: [{ what: 'everything', why }] });
        else terminal.complain(why);
        return exitCodes.failed;
      }
    }
    const removed = await kit.removeEverything();
    if (call.json) printJson(call, removed);
    else {
      for (const what of removed.done) terminal.out(`Removed: ${printable(what)}`);
      for (const { what, why } of removed.failed) terminal.complain(`Left: ${printable(what)}: ${printable(why)}`);
    }
    return removed.failed.length === 0 ? exitCodes.ok : exitCodes.failed;
  },
};
