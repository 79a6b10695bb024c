import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { connect, rootCertificates } from 'node:tls';
import { maskPayload } from '../src/domain/mask/mask.ts';
import type { JsonObject } from '../src/protocol/json.ts';
import { deliverTo } from './deliver.ts';
import type { Outcome } from './deliver.ts';
import { readOwnFile, thisAccount } from './home.ts';
import { isObject, parseObject, textOf } from './payload.ts';
import { isToken } from './request.ts';
import type { Open } from './request.ts';

/** SEC-8: a collector on another machine, as `remote.json` in the home names it. */
interface Remote {
  readonly url: URL;
  readonly token: string;
  /** The certificate authority to trust, in PEM; undefined: those that Node ships. */
  readonly ca?: string | undefined;
}

const OTHERS = 0o077;
const thisMachine = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Sends a masked hook to the collector that the file names. Returns its output only over TLS, which proves the collector's
 * identity.
 */
export async function deliverMasked(file: string, json: string, until: number): Promise<Outcome> {
  const remote = readRemote(file);
  if ('why' in remote) return { kind: 'undelivered', why: remote.why };
  const isSecure = remote.url.protocol === 'https:';
  const open = isSecure ? openTls(remote.ca) : undefined;
  const outcome = await deliverTo(remote, masked(json), until, () => isSecure, open);
  return outcome.kind === 'undelivered' && outcome.why === undefined
    ? { kind: 'undelivered', why: `the collector at ${remote.url.origin} refuses connections` }
    : outcome;
}

function readRemote(file: string): Remote | { readonly why: string } {
  const found = readOwnFile(file);
  if (found.kind === 'unsafe') return found;
  const refused = (why: string) => ({ why: `the file ${file} ${why}` });
  if (found.kind === 'missing') return refused('is gone');
  if (thisAccount() !== 'any' && (statSync(file).mode & OTHERS) !== 0)
    return refused('holds a token and is open to others (chmod 600 it)');
  const { url: address = '', token = '', ca } = (parseObject(found.text) ?? {}) as Readonly<Record<string, unknown>>;
  const url = typeof address === 'string' ? parseUrl(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    return refused('must name an address alone as "url", like https://collector.example');
  if (url.protocol === 'http:' && !thisMachine.test(url.hostname))
    return refused('must name an address that begins with https://');
  if (typeof token !== 'string' || !isToken(token)) return refused('must hold the collector’s token as "token"');
  if (ca !== undefined && typeof ca !== 'string') return refused('must hold "ca", if anything, as a PEM text');
  return { url, token, ca };
}

/** Masks the whole event, `_meta` too. Keeps the delivery id, which holds no secret and lets the collector drop a repeat. */
function masked(json: string): string {
  const event = JSON.parse(json) as JsonObject;
  const safe = maskPayload(event);
  const [meta, safeMeta] = [event['_meta'], safe['_meta']];
  const id = isObject(meta) ? textOf(meta, 'delivery_id') : undefined;
  return JSON.stringify({
    ...safe,
    _meta: { ...(isObject(safeMeta) ? safeMeta : {}), ...(id === undefined ? {} : { delivery_id: id }) },
  });
}

/** Sets every option of trust, so that NODE_TLS_REJECT_UNAUTHORIZED and NODE_EXTRA_CA_CERTS have no effect. */
function openTls(ca: string | undefined): Open {
  return ({ hostname, port }) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const servername = isIP(host) === 0 ? host : '';
    const trust = { ca: ca ?? [...rootCertificates], rejectUnauthorized: true };
    return [connect({ host, port: Number(port) || 443, servername, ...trust }), 'secureConnect'];
  };
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
