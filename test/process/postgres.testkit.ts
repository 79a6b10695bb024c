import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { findServer, postgresFolder } from '../../scripts/lib/findProgram.mjs';

const USER = 'mascot';
/** Nothing that a rule of masking would take for a secret's form. */
export const PASSWORD = 'a:b/c@d words';

/** PostgreSQL refuses to run as the superuser. */
const other: { uid: number; gid: number } | undefined =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

/** Undefined: there are no binaries of PostgreSQL on this machine. */
export const binaries = postgresFolder();

export const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Undefined: there is none on this machine. */
export const pgBouncer = findServer('pgbouncer');

export interface Postgres extends AsyncDisposable {
  readonly port: number;
  /** Of an empty database of its own. */
  database(name: string): Promise<string>;
  /** As the superuser. */
  query<T extends pg.QueryResultRow>(url: string, text: string, values?: readonly unknown[]): Promise<T[]>;
  urlOf(database: string, options?: { password?: string; user?: string; host?: string; query?: string }): string;
  /** Does nothing if the server runs already. */
  start(): Promise<void>;
  /** As a power cut would. */
  kill(): Promise<void>;
  readonly folder: string;
  /** Settings of the next start. */
  readonly options: string[];
  /** To the one who runs it. */
  give(file: string): void;
}

export async function startPostgres(): Promise<Postgres> {
  const options: string[] = [];
  const bin = (name: string) => path.join(binaries ?? '', name);
  const folder = mkdtempSync(path.join(tmpdir(), 'mascot-pg-'));
  const data = path.join(folder, 'data');
  const passwordFile = path.join(folder, 'password');
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(passwordFile, PASSWORD);
  if (other) for (const each of [folder, data, passwordFile]) chownSync(each, other.uid, other.gid);
  const auth = ['--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--encoding=UTF8', '--locale=C', '--no-sync'];
  execFileSync(bin('initdb'), ['-D', data, '-U', USER, ...auth], { ...other, cwd: folder, stdio: 'ignore' });
  const port = await freePort();
  let server: ChildProcess | undefined;

  function urlOf(database: string, { password = PASSWORD, user = USER, host = '127.0.0.1', query = '' } = {}): string {
    return `postgresql://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}${query}`;
  }

  async function start(): Promise<void> {
    // Safe while only processes die here, and no machine.
    const quick = ['fsync=off', 'full_page_writes=off', 'autovacuum=off', 'max_wal_size=2GB', 'shared_buffers=64MB'];
    const settings = [...quick, 'listen_addresses=127.0.0.1', ...options];
    const asked = ['-D', data, '-p', String(port), '-k', folder, ...settings.flatMap((each) => ['-c', each])];
    const run = () => spawn(bin('postgres'), asked, { ...other, cwd: folder, stdio: 'ignore' });
    server ??= run();
    for (let tries = 0; ; tries++) {
      try {
        await query(urlOf('postgres'), 'SELECT 1');
        return;
      } catch (error) {
        if (tries > 300) throw error;
        // Children of one that was killed keep its folder for a moment.
        if (server.exitCode !== null) server = run();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  async function query<T extends pg.QueryResultRow>(
    url: string,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<T[]> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<T>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  async function kill(): Promise<void> {
    const dying = server;
    server = undefined;
    if (!dying) return;
    const ended = new Promise((resolve) => dying.once('exit', resolve));
    dying.kill('SIGKILL');
    await ended;
  }

  await start();
  return {
    port,
    folder,
    options,
    give(file) {
      if (other) chownSync(file, other.uid, other.gid);
    },
    urlOf,
    query,
    start,
    kill,
    async database(name) {
      await query(urlOf('postgres'), `CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    async [Symbol.asyncDispose]() {
      // A whole end: the children of one that is killed hold its folder for a moment.
      const dying = server;
      if (dying) {
        const ended = new Promise((resolve) => dying.once('exit', resolve));
        dying.kill('SIGQUIT');
        await ended;
      }
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

/** A pool before one database, which gives each transaction to another of its connections. Resolves to the pool's own URL. */
export async function startPool(server: Postgres, database: string): Promise<AsyncDisposable & { url: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'mascot-pool-'));
  const port = await freePort();
  const file = path.join(folder, 'pool.ini');
  const behind = `host=127.0.0.1 port=${server.port} dbname=${database} user=${USER} password='${PASSWORD}'`;
  const rest = ['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = any'];
  const pool = ['pool_mode = transaction', 'default_pool_size = 3', 'server_round_robin = 1'];
  writeFileSync(file, [`[databases]`, `pooled = ${behind}`, '[pgbouncer]', ...rest, ...pool, ''].join('\n'));
  if (other) for (const each of [folder, file]) chownSync(each, other.uid, other.gid);
  const running = spawn(pgBouncer ?? '', ['-q', file], { ...other, cwd: folder, stdio: 'ignore' });
  const url = `postgresql://${USER}@127.0.0.1:${port}/pooled`;
  for (let tries = 0; ; tries++) {
    try {
      await server.query(url, 'SELECT 1');
      break;
    } catch (error) {
      if (tries > 200 || running.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => running.once('exit', resolve));
      running.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
