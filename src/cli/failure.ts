import type { AgentAround } from './agentAround.ts';

export const exitCodes = { ok: 0, failed: 1, wrongUsage: 2, noCollector: 3 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends the command: the message is for the person, the code for their script. */
export class MascotError extends Error {
  readonly exitCode: ExitCode;
  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** SEC-7: refuses a command to an agent. */
export function needsPerson(command: string, { sign }: AgentAround): MascotError {
  return new MascotError(
    exitCodes.failed,
    `agents can’t run "${command}" (an agent runs this: ${sign}): run it in a terminal without an agent, or use the editor`,
  );
}

export function wrongUsage(message: string, command = ''): MascotError {
  const help = command === '' ? 'mascot --help' : `mascot ${command} --help`;
  return new MascotError(exitCodes.wrongUsage, `${message}; "${help}" lists what there is`);
}
