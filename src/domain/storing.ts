/** What a person can do about a store that refuses. */
export type StoringTrouble = 'full' | 'unwritable' | 'failed';

const troubles: Readonly<Record<string, StoringTrouble>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EROFS: 'unwritable',
  EACCES: 'unwritable',
  EPERM: 'unwritable',
};

/** `code`: the system's, or an error's name. */
export function storingTrouble(code: string): StoringTrouble {
  return Object.hasOwn(troubles, code) ? (troubles[code] ?? 'failed') : 'failed';
}
