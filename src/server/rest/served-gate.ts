import { MARKET_TABLES, ORIGINS_TABLE } from '#schema/tables.ts';
import { encode, NOT_ENCODED } from '../http/encoding.ts';
import type { MarketWatch } from '../market-watch.ts';
import type { Family } from '../metrics/exposition.ts';
import { readFamilies } from '../metrics/read-metrics.ts';
import { ADMISSION, type AdmissionLimits, createAdmission } from './admission.ts';
import { createCachedReads, type Served } from './cached-reads.ts';
import { createEras } from './eras.ts';
import type { RestRequest, RestResponse } from './exchange.ts';
import { logFailure, refusalOf } from './failure.ts';
import type { GateOptions } from './gate.ts';
import { answerInsert, type Insert } from './insert.ts';
import { answerRead, isLasting, keyOf, type Read } from './read.ts';
import type { ReadAnswer } from './read-answer.ts';
import { createSegmentedCache } from './segmented-cache.ts';
import { createCapacity, type Slot } from './slots.ts';
import { addressed, answerRefusal, understand } from './understand.ts';

/** What is held in memory (bytes): answers, and the words of requests that led to them. */
const HELD = { answers: 16 * 1024 * 1024, words: 1024 * 1024 } as const;
/** A longer request is always read anew. */
const LONGEST_WORDS = 2_048;
const WORDS_OVERHEAD = 128;
const LOOK_MS = 5_000;

const KEPT_TABLES: ReadonlySet<string> = new Set([...MARKET_TABLES, ORIGINS_TABLE]);

export interface ServedGateOptions extends GateOptions {
  readonly watch: Pick<MarketWatch, 'version' | 'isTold' | 'knownAt'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** How long a visitor waits at least before the last answer is sent, or none (ms): for tests on busy machines. */
  readonly patienceMs?: number | undefined;
}

/** The gate as a server needs it: reads from a cache, and the database kept from too much at once. */
export interface ServedGate {
  /** The current answer to a GET that was asked in the very same words before; null where there is none. */
  hit(words: string): ReadAnswer | null;
  /**
   * Answers any request; `words` is all of it that decides the answer, null where that is not to be remembered. What is
   * served of a read is without the headers that depend on who asks.
   */
  answer(request: RestRequest, words: string | null): Promise<RestResponse | Served>;
  /** What /metrics tells of it. */
  families(): Family[];
  close(): void;
}

/** The table-query gate with a cache of reads in front of the database; `createGate` has the dialect. */
export function createServedGate(options: ServedGateOptions): ServedGate {
  const { database, watch, now, log, patienceMs } = options;
  const admission = (limits: AdmissionLimits) =>
    createAdmission({ ...limits, waitMs: Math.max(limits.waitMs, patienceMs ?? 0) });
  const eras = createEras(watch);
  // Nobody may ask for a long time, and until when an answer was current has to be known all the same.
  const looking = setInterval(eras.current, LOOK_MS).unref();
  const slots = createCapacity(HELD.answers, (content) => encode(content, 'quick').catch(() => NOT_ENCODED));
  const reads = createCachedReads({ slots, eras, admit: admission(ADMISSION.reads), now, patienceMs });
  const admitInsert = admission(ADMISSION.inserts);
  const remembered = createSegmentedCache<Slot>({ bytes: HELD.words });

  const readOnce = (read: Read, method: string) => () =>
    answerRead(database, read).catch((error: unknown) => {
      logFailure(log, { method, table: read.query.table.name }, error);
      throw error;
    });

  async function answerRows(request: RestRequest, read: Read, words: string | null): Promise<Served> {
    const isKept = KEPT_TABLES.has(read.query.table.name) && isLasting(read);
    const served = await reads.answer({ key: keyOf(read), isKept, ask: readOnce(read, request.method) });
    if (served.slot !== null && words !== null && words.length <= LONGEST_WORDS) {
      remembered.set(words, served.slot, WORDS_OVERHEAD + 2 * words.length);
    }
    return served;
  }

  const insertOnce = (insert: Insert) =>
    admitInsert(() =>
      answerInsert(database, insert).catch((error: unknown) => {
        logFailure(log, { method: 'POST', table: insert.query.table.name }, error);
        throw error;
      }),
    );

  return {
    hit(words) {
      const slot = remembered.use(words);
      return slot === undefined ? null : reads.currentOf(slot);
    },
    async answer(request, words) {
      const asked = understand(options, request);
      if (asked.kind === 'answer') return addressed(request, asked.response);
      try {
        if (asked.kind === 'read') return await answerRows(request, asked.read, words);
        return addressed(request, await insertOnce(asked.insert));
      } catch (error) {
        return addressed(request, answerRefusal(refusalOf(error)));
      }
    },
    families: () => readFamilies({ counts: reads.counts, bytes: slots.bytes, entries: slots.size }),
    close: () => clearInterval(looking),
  };
}
