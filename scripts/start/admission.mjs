/** Who may pass the guard: decided from the head of a request alone. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** @typedef {Pick<import('node:http').IncomingMessage, 'method' | 'url' | 'headers'>} Head */

export const LOOPBACK = '127.0.0.1';

/** @param {number} port  where the guard listens */
export function createAdmission(port) {
  const lastingKey = randomBytes(24).toString('base64url');
  /** @type {Set<string>} */
  const onceKeys = new Set();
  // Cookies are kept by host alone: a guard on another port must not overwrite this one's.
  const cookieName = `agent-mascot-${port}`;
  const cookie = `${cookieName}=${randomBytes(32).toString('base64url')}`;

  return {
    cookie: `${cookie}; Path=/; HttpOnly; SameSite=Lax`,
    /**
     * @param {Record<string, string>} query
     * @param {{ once?: boolean }} [how]  once: the key is good for one visit, for where others may read the address
     */
    address(query, { once = false } = {}) {
      const key = once ? randomBytes(24).toString('base64url') : lastingKey;
      if (once) onceKeys.add(key);
      return `http://${LOOPBACK}:${port}/?${new URLSearchParams({ ...query, key })}`;
    },
    /**
     * Addressed to this port by its own name, and by no page of another's.
     * @param {Head} request
     */
    isOurs({ method, url, headers }) {
      const { host, origin } = headers;
      if (host !== `${LOOPBACK}:${port}` && host !== `localhost:${port}`) return false;
      if (url?.startsWith('/') !== true) return false;
      if (origin !== undefined && origin !== `http://${host}`) return false;
      // To a browser all ports of a host are one site, so a page of another account's server would bring the cookie along.
      const from = headers['sec-fetch-site'];
      const isVisit = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
      return (from !== 'cross-site' && from !== 'same-site') || (method === 'GET' && isVisit);
    },
    /**
     * The same address without its key, when the key is right.
     * @param {Head} request
     */
    unlocked({ method, url, headers }) {
      const address = new URL(`http://${headers.host}${url}`);
      const key = address.searchParams.get('key');
      if (method !== 'GET' || key === null) return undefined;
      const once = [...onceKeys].find((known) => isSame(known, key));
      if (once === undefined && !isSame(lastingKey, key)) return undefined;
      if (once !== undefined) onceKeys.delete(once);
      address.searchParams.delete('key');
      return address.href;
    },
    /** @param {Head} request */
    hasCookie: ({ headers }) => cookiesOf(headers).some((known) => isSame(known, cookie)),
    /**
     * The other cookies: what is behind the guard may be another's server (code-server forwards to any port).
     * @param {Head} request
     */
    foreignCookies: ({ headers }) => cookiesOf(headers).filter((known) => !known.startsWith(`${cookieName}=`)),
  };
}

/** @param {import('node:http').IncomingHttpHeaders} headers */
function cookiesOf({ cookie = '' }) {
  return cookie.split(/; */).filter((part) => part !== '');
}

/**
 * @param {string} a
 * @param {string} b
 */
function isSame(a, b) {
  /** @param {string} text */
  const hash = (text) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
