import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import type { ConnectionOptions } from 'node:tls';
import { SinkTrouble } from '../../app/sink/sinkPorts.ts';
import { errorCode } from '../files/fileSystem.ts';

const modes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
type SslMode = (typeof modes)[number];

export interface Address {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly sslMode: SslMode;
  /** Of the address itself; the setting goes before it. */
  readonly caFile: string;
}

const DEFAULT_PORT = 5_432;
const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/;

/** What is wrong with it is told without it: it bears a password. */
export function readAddress(text: string): Address {
  const url = parsed(text.trim());
  if (!url || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    throw refused(
      'It must look like postgresql://user:password@host:5432/database; write special characters of the password as %40, %2F, …',
    );
  }
  const option = (name: string) => url.searchParams.get(name) ?? '';
  const host = option('host') || decoded(url.hostname).replace(/^\[(.+)\]$/, '$1');
  if (host === '') throw refused('It names no host.');
  const isHere = host.startsWith('/') || loopback.test(host);
  const sslMode = option('sslmode') || (isHere ? 'disable' : 'verify-full');
  if (!isMode(sslMode)) throw refused(`sslmode must be one of ${modes.join(', ')}.`);
  const user = decoded(url.username) || option('user') || userInfo().username;
  return {
    host,
    port: Number(option('port') || url.port || DEFAULT_PORT),
    user,
    password: decoded(url.password) || option('password'),
    database: decoded(url.pathname.slice(1)) || user,
    sslMode,
    caFile: option('sslrootcert'),
  };
}

/** For people: where it is and as whom, and how the line is protected. */
export function describeAddress(text: string): string {
  const { host, port, user, database, sslMode } = readAddress(text);
  return `${user}@${host.includes(':') ? `[${host}]` : host}:${port}/${database} (sslmode ${sslMode})`;
}

/** What pg is to make TLS with; false: nothing. */
export async function tlsOf(address: Address, caFile: string): Promise<ConnectionOptions | false> {
  const { sslMode } = address;
  if (sslMode === 'disable') return false;
  const file = caFile || address.caFile;
  const trusted = file === '' ? {} : { ca: await certificatesIn(file) };
  switch (sslMode) {
    case 'require':
      // As libpq has it: whoever names an authority wants it to be asked.
      if (file === '') return { rejectUnauthorized: false };
      return { ...trusted, rejectUnauthorized: true, checkServerIdentity: () => undefined };
    case 'verify-ca':
      return { ...trusted, rejectUnauthorized: true, checkServerIdentity: () => undefined };
    case 'verify-full':
      return { ...trusted, rejectUnauthorized: true };
  }
}

async function certificatesIn(file: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new SinkTrouble('caFile', `${file} can't be read (${errorCode(error) ?? 'unknown'})`);
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new SinkTrouble('caFile', `${file} holds no certificate`);
  return text;
}

function isMode(text: string): text is SslMode {
  return modes.some((mode) => mode === text);
}

function refused(why: string): SinkTrouble {
  return new SinkTrouble('address', why);
}

function parsed(text: string): URL | undefined {
  try {
    // Sockets have no host, which no URL with a user may lack.
    return new URL(text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=[/?])/, '$1localhost'));
  } catch {
    return undefined;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refused('A % in it is not followed by two digits: write it as %25.');
  }
}
