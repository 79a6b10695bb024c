/** What somebody typed can't be done: the message says why, and the usage follows it. */
export class UsageError extends Error {}
