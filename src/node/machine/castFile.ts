import * as z from 'zod/mini';
import type { CastKeeper, Log } from '../../app/ports.ts';
import { emptyCast } from '../../domain/cast.ts';
import { type CastFile, castFileSchema } from '../../protocol/cast.ts';
import { createJsonFile } from '../hooks/jsonFile.ts';

/** The person's own choices, so no part of the store: they outlive its damage and its retention, and can be read and mended by hand. */
export function createCastFile(file: string, log: Pick<Log, 'warn'>): CastKeeper {
  return createJsonFile<CastFile>(file, schema, emptyCast, log);
}

const schema = z.custom<CastFile>((value) => castFileSchema.safeParse(value).success);
