import type { Json } from '../protocol/json.ts';

/** A small document that is kept beside the events, and lost by no crash and no change of the owner. */
export interface Kept {
  readonly key: string;
  /** The session that it tells of: erased with it (CNV-4). */
  readonly session?: string | undefined;
  readonly value: Json;
}

/** Documents of one kind. */
export interface Shelf {
  get(key: string): Kept | undefined;
  /** In the order of their keys. */
  after(key: string | undefined, limit: number): readonly Kept[];
  count(): number;
  /** Resolves when it is durable, all or nothing of it. Of a session that was erased since nothing is kept. */
  put(save: readonly Kept[], remove?: readonly string[]): Promise<void>;
}

export interface Shelves {
  shelf(name: string): Shelf;
}
