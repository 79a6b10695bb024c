import { describe, expect, it } from 'vitest';
import { ownerLives } from './owner.ts';
import type { Machine } from './owner.ts';

const booted = Date.parse('2026-11-18T08:00:00.000Z');

function machine(kill: Machine['kill'], platform = 'darwin'): Machine {
  return { platform, kill, bootedAt: () => booted };
}

function failing(code: string): Machine['kill'] {
  return () => {
    throw Object.assign(new Error(code), { code });
  };
}

describe('FWD-3 the owner of a port file where there is no /proc', () => {
  const owner = { pid: 812, startedAt: '2026-11-18T09:00:00.000Z' };

  it.each([
    ['a process that takes our signal', () => true, true],
    ['a process that is gone', failing('ESRCH'), false],
    ['a process of another user', failing('EPERM'), false],
  ])('FWD-3 %s: %s', (_title, kill, lives) => {
    expect(['darwin', 'win32'].map((platform) => ownerLives(owner, machine(kill, platform)))).toEqual([lives, lives]);
  });

  it.each([
    ['long before the boot', '2026-11-17T09:00:00.000Z', false],
    ['just before the boot', '2026-11-18T07:59:50.000Z', false],
    ['before the boot by what clocks differ', '2026-11-18T07:59:59.000Z', true],
    ['after the boot', '2026-11-18T08:00:10.000Z', true],
    ['at no time', 'yesterday', false],
  ])('FWD-3 a pid that says it started %s', (_title, startedAt, lives) => {
    expect(
      ownerLives(
        { pid: 812, startedAt },
        machine(() => true),
      ),
    ).toBe(lives);
  });

  it('FWD-3 asks by a signal that does nothing', () => {
    const asked: unknown[] = [];
    ownerLives(
      owner,
      machine((...args) => asked.push(args) > 0),
    );
    expect(asked).toEqual([[812, 0]]);
  });

  it('FWD-3 this very process lives, on whatever machine', () => {
    const started = new Date(Date.now() - process.uptime() * 1000).toISOString();
    expect(ownerLives({ pid: process.pid, startedAt: started })).toBe(true);
  });
});
