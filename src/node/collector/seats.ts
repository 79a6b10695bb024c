/** A number of places that several kinds of readers share. */
export interface Seats {
  /** Undefined: all are taken. Giving one back twice is once. */
  take(): (() => void) | undefined;
}

export function createSeats(count: number): Seats {
  let taken = 0;
  return {
    take() {
      if (taken >= count) return undefined;
      taken++;
      let held = true;
      return () => {
        if (held) taken--;
        held = false;
      };
    },
  };
}
