import * as vscode from 'vscode';
import type { Log } from '../../app/ports.ts';
import type { RelayTrouble } from '../../app/relay/relayPorts.ts';
import { commandIds } from '../ids.ts';
import { relayPhrase, whyPhrase } from './relayPhrases.ts';

/** RLY-2: what the relay can't get out of by itself, said once until something went well. */
export function createRelayTroubles(log: Pick<Log, 'warn'>): (trouble: RelayTrouble) => void {
  return ({ why: reason, channel }) => {
    const why = whyPhrase(reason);
    const gaveUp = reason === 'old' || reason === 'full' || reason === 'blocked' || reason === 'invalid';
    const text = gaveUp
      ? relayPhrase('trouble.gaveUp', { why })
      : channel
        ? relayPhrase('trouble.channel', { channel, why })
        : relayPhrase('trouble.all', { why });
    log.warn(`Chat relay: the person is told (${reason}).`);
    const [setUp, showLog] = [relayPhrase('button.setUp'), relayPhrase('button.showLog')];
    void vscode.window.showWarningMessage(text, setUp, showLog).then((choice) => {
      if (choice === setUp) void vscode.commands.executeCommand(commandIds.setUpChatRelay);
      if (choice === showLog) void vscode.commands.executeCommand(commandIds.showLog);
    });
  };
}
