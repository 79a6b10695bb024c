import { SetAside } from './gate.ts';

/** Reads into the buffer; tells whether there is more to do at once. */
export type Turn = (buffer: Buffer) => Promise<boolean>;

export interface TailLane {
  /** `later` has its turn when nobody who wants to go `soon` is left: whom a person looks at comes before who may be found. */
  enter(work: Turn, when: 'soon' | 'later'): { poke(): void; stop(): void };
}

/** Turns of all, one after the other and in a circle, with one buffer for all of them. */
export function createTailLane(bufferBytes: number, onError: (error: unknown) => void): TailLane {
  const soon = new Set<Turn>();
  const later = new Set<Turn>();
  let buffer = Buffer.allocUnsafe(bufferBytes);
  let running = false;

  async function takeTurn(turn: Turn): Promise<boolean> {
    try {
      return await turn(buffer);
    } catch (error) {
      // The pending call may still write into the buffer.
      if (error instanceof SetAside) buffer = Buffer.allocUnsafe(bufferBytes);
      else onError(error);
      return false;
    }
  }

  async function run(): Promise<void> {
    running = true;
    for (let queue = next(); queue; queue = next()) {
      const [turn] = queue;
      if (!turn) break;
      queue.delete(turn);
      if (await takeTurn(turn)) queue.add(turn);
    }
    running = false;
  }

  function next(): Set<Turn> | undefined {
    return [soon, later].find((queue) => queue.size > 0);
  }

  return {
    enter(work, when) {
      const queue = when === 'soon' ? soon : later;
      let stopped = false;
      const turn: Turn = async (buffer) => !stopped && (await work(buffer)) && !stopped;
      return {
        poke() {
          if (stopped) return;
          queue.add(turn);
          if (!running) void run();
        },
        stop() {
          stopped = true;
          queue.delete(turn);
        },
      };
    },
  };
}
