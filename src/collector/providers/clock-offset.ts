/** Enough for a median that one wrong clock does not move. */
const KEPT = 99;

/** Tells by how much the clocks of those asked are ahead of ours. */
export interface ClockOffset {
  /** An answer to a request of `asked` that came at `answered` (epoch ms). */
  observe(headers: Headers, asked: number, answered: number): void;
  /** ms; null while no answer has told its time. */
  median(): number | null;
}

export function createClockOffset(): ClockOffset {
  const offsets: number[] = [];
  return {
    observe(headers, asked, answered) {
      const date = Date.parse(headers.get('date') ?? '');
      if (Number.isNaN(date)) return;
      // What comes from a cache keeps the Date of its making and says in Age how long ago that was.
      const age = Number(headers.get('age') ?? 0);
      const theirs = date + 500 + (age >= 0 ? age * 1000 : 0); // Date is cut to the second
      offsets.push(theirs - (asked + answered) / 2);
      if (offsets.length > KEPT) offsets.shift();
    },
    median() {
      const sorted = offsets.toSorted((a, b) => a - b);
      return sorted[sorted.length >> 1] ?? null;
    },
  };
}
