import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { SinkTrouble } from '../../app/sink/sinkPorts.ts';
import { temporaryFolder } from '../store/store.testkit.ts';
import { describeAddress, readAddress, tlsOf } from './address.ts';

test.each([
  ['postgresql://db', { host: 'db', port: 5432, sslMode: 'verify-full' }],
  ['postgres://me:s%40c%2Fret@db.example:6000/team', { user: 'me', password: 's@c/ret', port: 6000, database: 'team' }],
  ['postgresql://me@localhost/team', { host: 'localhost', sslMode: 'disable' }],
  ['postgresql://me@[::1]/team', { host: '::1', sslMode: 'disable' }],
  ['postgresql://me@127.8.0.1/', { sslMode: 'disable', database: 'me' }],
  ['postgresql://me@127.example/team', { sslMode: 'verify-full' }],
  ['postgresql://me@/team?host=/run/postgresql&port=5433', { host: '/run/postgresql', port: 5433, sslMode: 'disable' }],
  ['postgresql://db/team?user=me&password=x&sslmode=require', { user: 'me', password: 'x', sslMode: 'require' }],
  [' postgresql://me@db/team?sslrootcert=/ca.pem ', { caFile: '/ca.pem' }],
])('SNK-1 the address %s is read', (url, expected) => {
  expect(readAddress(url)).toMatchObject(expected);
});

test.each([
  ['mysql://me:hidden@db/x', 'postgresql://'],
  ['me:hidden@db', 'postgresql://'],
  ['postgresql://me:hidden@db/x?sslmode=prefer', 'sslmode must be one of'],
  ['postgresql://me:hid%den@db/x', '%25'],
])('SNK-1 the address %s is refused without its password', (url, words) => {
  let told = '';
  try {
    readAddress(url);
  } catch (error) {
    told = (error as SinkTrouble).message;
  }
  expect(told).toContain(words);
  expect(told).not.toMatch(/hid/);
});

test('SNK-1 an address is described for people without its password', () => {
  expect(describeAddress('postgresql://me:hidden@[2001:db8::1]/team')).toBe(
    'me@[2001:db8::1]:5432/team (sslmode verify-full)',
  );
});

test('SNK-1 TLS trusts what the setting names, and says what is wrong with it', async () => {
  await using folder = await temporaryFolder();
  const [good, bad] = [path.join(folder.path, 'ca.pem'), path.join(folder.path, 'none.pem')];
  await writeFile(good, '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n');
  await writeFile(bad, 'nothing');
  const of = (mode: string) => readAddress(`postgresql://me@db/x?sslmode=${mode}&sslrootcert=${bad}`);
  expect(await tlsOf(of('disable'), good)).toBe(false);
  expect(await tlsOf(of('require'), good)).toMatchObject({ rejectUnauthorized: true });
  const plain = readAddress('postgresql://me@db/x?sslmode=require');
  expect(await tlsOf(plain, '')).toEqual({ rejectUnauthorized: false });
  const full = await tlsOf(of('verify-full'), good);
  expect(full).toMatchObject({ rejectUnauthorized: true, ca: expect.stringContaining('BEGIN CERTIFICATE') as string });
  expect(full).not.toHaveProperty('checkServerIdentity');
  await expect(tlsOf(of('verify-ca'), '')).rejects.toMatchObject({ kind: 'caFile' });
  await expect(tlsOf(of('verify-ca'), `${good}.gone`)).rejects.toMatchObject({ kind: 'caFile' });
});
