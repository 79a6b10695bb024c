import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Membership } from '../app/membership.ts';
import { intakeSchema, type Storing } from '../protocol/reading.ts';
import { lookAtSpool } from './hooks/doctorLooks.ts';
import { startOwner } from './owner.testkit.ts';
import { temporaryFolder } from './store/store.testkit.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let membership: Membership | undefined;
const at = (name: string) => path.join(folder.path, name);
const canMount = process.getuid?.() === 0 && process.platform === 'linux';

beforeEach(async () => {
  folder = await temporaryFolder();
  mkdirSync(at('store'), { mode: 0o700 });
  if (canMount) execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m,mode=0700', 'tmpfs', at('store')]);
});
afterEach(async () => {
  await membership?.stop();
  membership = undefined;
  vi.unstubAllEnvs();
  if (canMount) execFileSync('umount', [at('store')]);
  await folder[Symbol.asyncDispose]();
});

/** A window that owns a store on that disk. */
async function ownerOnDisk() {
  const told: Storing[] = [];
  const { home, log, url, headers } = await startOwner(folder.path, (started) => (membership = started), {
    onStoring: (storing) => void told.push(storing),
  });
  const hook = (prompt: string) =>
    JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: '/p', prompt });
  const post = async (prompt: string) =>
    (await fetch(`${url}/ingest`, { method: 'POST', headers, body: hook(prompt) })).status;
  const intake = async () => intakeSchema.parse(await (await fetch(`${url}/api/storing`, { headers })).json());
  return { home, log, told, post, intake, hook };
}

test.skipIf(!canMount)(
  'STO-3 a full disk below the store is told by its folder, once, until there is room (as root, who can make one)',
  async () => {
    const { home, log, told, post, intake, hook } = await ownerOnDisk();
    expect([await post('fits'), (await intake()).storing]).toEqual([200, { ok: true }]);
    const filler = at('store/filler');
    expect(() => writeFileSync(filler, Buffer.alloc(4 * 1024 * 1024))).toThrow('ENOSPC');
    // Larger than what is left of the journal's last block.
    const large = 'x'.repeat(8 * 1024);
    for (let n = 0; n < 5; n++) expect(await post(`${n} ${large}`)).toBe(500);
    writeFileSync(path.join(home.spool, '1700000000000-a.json'), hook(`waits ${large}`));
    await vi.waitFor(async () => expect((await intake()).spool.waiting).toBe(1));
    expect((await intake()).storing).toMatchObject({ ok: false, code: 'ENOSPC', folder: at('store') });
    expect((await lookAtSpool(home)).blocked).toBeUndefined();

    rmSync(filler);
    expect(await post('there is room')).toBe(200);
    await vi.waitFor(() => expect(readdirSync(home.spool)).toEqual([]));
    expect((await intake()).storing).toEqual({ ok: true });
    expect(told.map(({ ok, code, folder: place }) => [ok, code, place])).toEqual([
      [false, 'ENOSPC', at('store')],
      [true, undefined, undefined],
    ]);
    expect(log.lines.filter((line) => /Nothing is stored|stored again|could not be stored/.test(line))).toEqual([
      expect.stringContaining(`the disk of ${at('store')} is full`),
      expect.stringContaining('Events are stored again, after'),
    ]);
  },
);

test.skipIf(!canMount)(
  'STO-3 a store’s disk that becomes read-only is told with what to do; what comes waits, and is stored when it can be (as root, who can make one)',
  async () => {
    const { home, post, hook } = await ownerOnDisk();
    const remount = (how: 'ro' | 'rw') => execFileSync('mount', ['-o', `remount,${how}`, at('store')]);
    expect(await post('can be written')).toBe(200);
    // A file that is open for writing keeps a disk from becoming read-only, so it is the next owner that meets it.
    await membership?.stop();
    remount('ro');
    const failure = await ownerOnDisk().then(
      () => undefined,
      (error: unknown) => String(error),
    );
    expect(failure).toMatch(/can’t be written \(EROFS\): make it writable/);
    await membership?.stop();
    writeFileSync(path.join(home.spool, '1700000000000-a.json'), hook('waits'));
    remount('rw');
    const again = await ownerOnDisk();
    await vi.waitFor(() => expect(readdirSync(home.spool)).toEqual([]));
    expect([(await again.intake()).storing, await again.post('after')]).toEqual([{ ok: true }, 200]);
  },
);
