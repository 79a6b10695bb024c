import path from 'node:path';
import type { Disposable, Log } from '../../app/ports.ts';
import type { TailChunk, TailRequest, Tails } from '../../app/sourcePorts.ts';
import { createFolderEvents, type FolderEvents } from './folderEvents.ts';
import { errorCode } from '../files/fileSystem.ts';
import type { Disk } from './disk.ts';
import { unlessSetAside } from './gate.ts';
import { closeQuietly } from './gatedDisk.ts';
import { createLineSplitter, textLines } from './lineSplitter.ts';
import { type Identity, identityOf, isSame, type OpenFile, openRegular, readAt } from './regularFile.ts';
import { createTailLane } from './tailLane.ts';

/** Half a millisecond of work on the event loop. */
const SLICE_BYTES = 256 * 1024;

/** A line is one block of a message; what is larger is somebody's file, in base64. */
const LINE_MAX_BYTES = 4 * 1024 * 1024;

/** TRN-2 asks for 256 KB; a mistaken wish must not load a whole transcript. */
const TAIL_MAX_BYTES = 4 * 1024 * 1024;

/** Compared before reading on: a file that was rewritten in place keeps its inode, and may be longer than before. */
const SEAM_BYTES = 64;

const LINE_END = 0x0a;

export interface TailOptions {
  readonly events?: FolderEvents;
  readonly sliceBytes?: number;
  readonly maxLineBytes?: number;
}

export function createTails(log: Log, options: TailOptions = {}): Tails {
  const { events = createFolderEvents(log), sliceBytes = SLICE_BYTES, maxLineBytes = LINE_MAX_BYTES } = options;
  const onError = (error: unknown) => log.error(`A transcript could not be followed: ${String(error)}`);
  const lane = createTailLane(SEAM_BYTES + sliceBytes, onError);
  return {
    follow(request) {
      const reader = createReader(events.disk, request, maxLineBytes, onError);
      const { poke, stop } = lane.enter(reader.readOn, 'soon');
      const name = path.basename(request.path);
      const listening = events.listen(path.dirname(request.path), (changed) => {
        if (changed === undefined || changed === name) poke();
      });
      poke();
      return {
        dispose() {
          reader.dispose();
          stop();
          listening.dispose();
        },
      };
    },
    async size(file) {
      try {
        return Number((await events.disk.lstat(file)).size);
      } catch (error) {
        return errorCode(error) === 'ENOENT' ? 0 : Number.MAX_SAFE_INTEGER;
      }
    },
    tail(file, bytes, after = 0) {
      return new Promise((resolve) => {
        const { poke } = lane.enter(async (buffer) => {
          try {
            resolve(await lastLines(events.disk, file, { bytes, after }, buffer));
          } finally {
            resolve([]);
          }
          return false;
        }, 'later');
        poke();
      });
    },
  };
}

interface Reader extends Disposable {
  /** Reads one slice and hands it over; true when there is more. */
  readOn(buffer: Buffer): Promise<boolean>;
}

function createReader(
  disk: Disk,
  request: TailRequest,
  maxLineBytes: number,
  onError: (error: unknown) => void,
): Reader {
  const splitter = createLineSplitter(maxLineBytes);
  const { after = 0 } = request;
  let position = Math.max(after, Number.isSafeInteger(request.from) ? request.from : 0);
  /** Reading may begin within a line; then the rest of that line is skipped. */
  let mayBeWithin = after > 0 && position === after;
  /** The last bytes before `position`. Of an earlier reading only the line end is known. */
  let seam: Buffer = Buffer.from(position > 0 ? '\n' : '');
  let identity: Identity | undefined;
  let caughtUp = false;
  let reset = false;
  let disposed = false;

  function startAnew(): void {
    reset ||= position > 0;
    position = 0;
    seam = Buffer.alloc(0);
    splitter.clear();
    caughtUp = false;
  }

  async function readSlice({ handle, stats }: OpenFile, buffer: Buffer): Promise<boolean> {
    const found = identityOf(stats);
    if (identity && !isSame(identity, found)) startAnew();
    identity = found;
    // An empty file may be about to be rewritten, so the first content that appears counts as erased.
    if (mayBeWithin && Number(stats.size) === 0) return false;
    if (mayBeWithin) position = Math.min(position, Number(stats.size));
    // A disk that fails now may answer at the next look.
    const got = await readAt(handle, buffer, position - seam.length).catch(unlessSetAside);
    if (disposed || !got) return false;
    if (mayBeWithin) {
      const begin = got.subarray(0, seam.length).equals(seam) ? seam.length : got.indexOf(LINE_END, seam.length) + 1;
      position += (begin === 0 ? got.length : begin) - seam.length;
      if (begin === 0) return position < stats.size;
      mayBeWithin = false;
      seam = Buffer.from('\n');
      return true;
    }
    // Rewritten, or shorter than before.
    if (!got.subarray(0, seam.length).equals(seam)) {
      startAnew();
      return true;
    }
    const fresh = got.subarray(seam.length);
    seam = Buffer.from(got.subarray(-SEAM_BYTES));
    position += fresh.length;
    const before = caughtUp;
    caughtUp = position >= stats.size;
    const lines = splitter.push(fresh);
    if (fresh.length > 0 || reset || (caughtUp && !before)) tell(lines, Number(stats.mtimeMs));
    return !caughtUp && fresh.length > 0;
  }

  function tell(complete: readonly string[], modifiedAt: number): void {
    try {
      const lines = complete.filter((line) => request.wants(line));
      const chunk: TailChunk = { lines, offset: position - splitter.pending(), reset, caughtUp, modifiedAt };
      reset = false;
      request.onChunk(chunk);
    } catch (error) {
      // The listener's fault: the rest of the file is read all the same.
      onError(error);
    }
  }

  return {
    async readOn(buffer) {
      const file = await openRegular(disk, request.path);
      if (!file) return false;
      try {
        return !disposed && (await readSlice(file, buffer));
      } finally {
        closeQuietly(file.handle);
      }
    },
    dispose() {
      disposed = true;
    },
  };
}

async function lastLines(
  disk: Disk,
  file: string,
  { bytes, after }: { readonly bytes: number; readonly after: number },
  buffer: Buffer,
): Promise<readonly string[]> {
  const opened = await openRegular(disk, file);
  if (!opened) return [];
  const { handle, stats } = opened;
  try {
    const wanted = Math.max(0, Math.min(bytes, TAIL_MAX_BYTES, Number(stats.size) - after));
    const start = Number(stats.size) - wanted;
    // One byte more tells whether the first line is a whole one.
    const before = Math.min(start, 1);
    const length = before + wanted;
    const room = length <= buffer.length ? buffer.subarray(0, length) : Buffer.allocUnsafe(length);
    const got = await readAt(handle, room, start - before);
    if (before === 0) return textLines(got);
    const first = got.indexOf(LINE_END) + 1;
    return first === 0 ? [] : textLines(got.subarray(first));
  } catch (error) {
    return unlessSetAside(error) ?? [];
  } finally {
    closeQuietly(handle);
  }
}
