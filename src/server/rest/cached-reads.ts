import { type Admission, overloaded } from './admission.ts';
import type { Era, Eras } from './eras.ts';
import type { RestResponse } from './exchange.ts';
import { isDatabaseFailing, refusalOf } from './failure.ts';
import { type ReadAnswer, toReadAnswer } from './read-answer.ts';
import type { Slot, Slots } from './slots.ts';
import { withinTime } from './within-time.ts';

/** How long anybody waits, and how long an answer serves (ms). */
export const PATIENCE = {
  /** For a newer answer than the one there is. */
  freshMs: 1_000,
  /** For any answer. */
  anyMs: 5_000,
  /** How long an answer serves that is no longer known to be current. */
  staleMs: 3_600_000,
  /**
   * For how long an answer is current while nothing changes. A row that is dated ahead becomes visible an hour before
   * its date, by the passing of time alone, so an answer that is no older than that hour has all rows of the past.
   */
  currentMs: 3_600_000,
  /** Between looks whether a database that failed is back. */
  probeMs: 1_000,
} as const;

/** A read as the cache knows it. */
export interface Asked {
  /** Two reads with one key have one answer. */
  readonly key: string;
  /** Whether the answer may serve others, later. */
  readonly isKept: boolean;
  /** Asks the database. Rejects with a `Refusal` or what the database throws. */
  readonly ask: () => Promise<RestResponse>;
}

/** The response to a read. */
export interface Served {
  readonly answer: ReadAnswer;
  /**
   * Whole seconds since the database last confirmed the response to be current, sent as `Age`. Null if it is current: read
   * just now, or cached at the version of the data that the database still confirms.
   */
  readonly age: number | null;
  /** Where the answer is kept; null where it is not. */
  readonly slot: Slot | null;
}

/** How many reads were answered by what. */
export interface ReadCounts {
  cache: number;
  database: number;
  stale: number;
  refused: number;
}

export interface CachedReads {
  /** The answer to a read, as new as the request at least, or with its age. Rejects as `ask` does, or as overloaded. */
  answer(asked: Asked): Promise<Served>;
  /** The answer of a slot while it is current, else null: at once, for who remembers the slot. */
  currentOf(slot: Slot): ReadAnswer | null;
  readonly counts: Readonly<ReadCounts>;
}

interface CachedReadsOptions {
  readonly slots: Slots;
  readonly eras: Eras;
  readonly admit: Admission;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** How long anybody waits for a newer answer than the one there is: `PATIENCE.freshMs`, unless told (ms). */
  readonly patienceMs?: number | undefined;
}

/**
 * Reads of the market, asked of the database once for all who want the same, and kept for as long as the market stands as
 * it was read. While the database fails or keeps silent, an answer that was current within the last hour serves at once,
 * and one read at a time finds out whether it is back.
 */
export function createCachedReads(options: CachedReadsOptions): CachedReads {
  const { slots, eras, admit, now, patienceMs: freshMs = PATIENCE.freshMs } = options;
  const anyMs = Math.max(freshMs, PATIENCE.anyMs);
  const counts: ReadCounts = { cache: 0, database: 0, stale: 0, refused: 0 };
  const flights = new Map<string, Promise<ReadAnswer>>();
  /** The era in which the database last failed. It ends when the database is back, which counts as a new version. */
  let failedIn: Era | null = null;
  let isProbing = false;
  let probedAt = Number.NEGATIVE_INFINITY;

  async function fly({ key, isKept, ask }: Asked): Promise<ReadAnswer> {
    const overdue = setTimeout(() => {
      failedIn = eras.current();
    }, freshMs);
    try {
      const answer = await admit(async () => {
        // Before the read begins: what changes while it runs makes its answer old.
        const begun = { readAt: now(), era: eras.current() };
        return toReadAnswer(await ask(), begun);
      }, slots.get(key)?.isWanted);
      failedIn = null;
      if (isKept) slots.keep(key, answer);
      return answer;
    } catch (error) {
      failedIn = isDatabaseFailing(error) ? eras.current() : null;
      throw error;
    } finally {
      clearTimeout(overdue);
      flights.delete(key);
    }
  }

  function begin(asked: Asked): Promise<ReadAnswer> {
    const underWay = flights.get(asked.key);
    if (underWay !== undefined) return underWay;
    const flight = fly(asked);
    flights.set(asked.key, flight);
    // Whoever asked may wait no longer by the time it fails.
    flight.catch(() => undefined);
    return flight;
  }

  /** An answer whose read began when the market stood at `version`, or later. */
  async function answerSince(version: number, asked: Asked): Promise<ReadAnswer> {
    const answer = await begin(asked);
    return answer.era.version >= version ? answer : begin(asked);
  }

  function probe(asked: Asked): void {
    // However a clock was set meanwhile.
    if (isProbing || Math.abs(now() - probedAt) < PATIENCE.probeMs) return;
    isProbing = true;
    const done = () => {
      isProbing = false;
      probedAt = now();
    };
    // One that hangs must not keep others from finding out.
    withinTime(begin(asked), anyMs, overloaded).then(done, done);
  }

  function currentOf(slot: Slot): ReadAnswer | null {
    const { answer } = slot;
    if (answer === null || !eras.isCurrent(answer.era)) return null;
    // However a clock was set meanwhile.
    if (Math.abs(now() - answer.readAt) > PATIENCE.currentMs) return null;
    counts.cache += 1;
    slots.use(slot);
    return answer;
  }

  /** When an answer was last known to be current (epoch ms). */
  const currentAt = ({ readAt, era }: ReadAnswer): number => Math.max(readAt, era.knownAt);

  /** The slot's answer, where it was current within the last hour. */
  function staleOf(slot: Slot | undefined): ReadAnswer | null {
    const answer = slot?.answer ?? null;
    if (answer === null) return null;
    return now() - currentAt(answer) <= PATIENCE.staleMs ? answer : null;
  }

  async function fresh(asked: Asked, waitMs: number): Promise<Served> {
    const answer = await withinTime(answerSince(eras.current().version, asked), waitMs, overloaded);
    counts.database += 1;
    return { answer, age: null, slot: slots.get(asked.key) ?? null };
  }

  function served(answer: ReadAnswer, slot: Slot): Served {
    counts.stale += 1;
    slots.use(slot);
    // A clock may have been set back.
    return { answer, age: Math.max(0, Math.floor((now() - currentAt(answer)) / 1000)), slot };
  }

  return {
    async answer(asked) {
      const slot = asked.isKept ? slots.get(asked.key) : undefined;
      const current = slot === undefined ? null : currentOf(slot);
      if (slot !== undefined && current !== null) return { answer: current, age: null, slot };
      const stale = staleOf(slot);
      if (slot !== undefined && stale !== null) {
        if (failedIn === eras.current()) {
          probe(asked);
          return served(stale, slot);
        }
        return fresh(asked, freshMs).catch((error: unknown) => {
          // What is refused now was right before, and is so no longer.
          if (!isDatabaseFailing(error)) throw error;
          return served(stale, slot);
        });
      }
      return fresh(asked, anyMs).catch((error: unknown) => {
        if (refusalOf(error).status === 503) counts.refused += 1;
        throw error;
      });
    },
    currentOf,
    counts,
  };
}
