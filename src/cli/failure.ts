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

export function wrongUsage(message: string, command = ''): MascotError {
  const help = command === '' ? 'mascot --help' : `mascot ${command} --help`;
  return new MascotError(exitCodes.wrongUsage, `${message}; "${help}" lists what there is`);
}
