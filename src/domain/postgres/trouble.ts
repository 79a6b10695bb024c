/** What keeps the copies from the team's database; each has its own remedy. */
export const sinkTroubles = [
  'address',
  'caFile',
  'password',
  'host',
  'unreachable',
  'tls',
  'database',
  'rights',
  'role',
  'newer',
  'full',
  'data',
  'removed',
  'other',
] as const;
export type SinkTroubleKind = (typeof sinkTroubles)[number];

const byCode: Readonly<Record<string, SinkTroubleKind>> = {
  '28000': 'password',
  '28P01': 'password',
  '3D000': 'database',
  '42501': 'rights',
  '53100': 'full',
  ENOTFOUND: 'host',
  EAI_AGAIN: 'host',
  ECONNREFUSED: 'unreachable',
  ECONNRESET: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'unreachable',
  ENOENT: 'unreachable',
  EPIPE: 'unreachable',
};

/** Classes of PostgreSQL's states: what a row was, and what the server can't take now. */
const byClass: Readonly<Record<string, SinkTroubleKind>> = {
  '21': 'data',
  '22': 'data',
  '23': 'data',
  '54': 'data',
  '08': 'unreachable',
  '53': 'unreachable',
  '57': 'unreachable',
  '40': 'unreachable',
};

const tlsCode = /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/;
const tlsWords = /does not support SSL|SSL connection|no encryption|pg_hba\.conf.*SSL off|self.signed certificate/i;

/** By the error's code, or by its words where it has none. */
export function troubleKind(code: string | undefined, message: string): SinkTroubleKind {
  if (tlsWords.test(message) || (code !== undefined && tlsCode.test(code))) return 'tls';
  if (code === undefined) return /timeout|terminated|closed|not queryable/i.test(message) ? 'unreachable' : 'other';
  return byCode[code] ?? (/^[0-9A-Z]{5}$/.test(code) ? byClass[code.slice(0, 2)] : undefined) ?? 'other';
}

/** Passes by itself, as a rule: nobody has to be told at once. Without a network no host has an address. */
export function mayPass(kind: SinkTroubleKind): boolean {
  return kind === 'unreachable' || kind === 'host' || kind === 'removed' || kind === 'other';
}
