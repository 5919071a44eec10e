import type { MarketWatch } from '../market-watch.ts';

interface PageSource<Reading, Page> {
  /** Reads what the page shows now. */
  readonly read: () => Promise<Reading>;
  /** Makes the page of it, ready to be sent. */
  readonly render: (reading: Reading) => Promise<Page>;
  /** Makes the page for when the database does not answer; `currentAt` (epoch ms) is when its data were last current. */
  readonly renderStale: (reading: Reading, currentAt: number) => Promise<Page>;
  /** What is served while no page could be made yet. */
  readonly shell: Page;
  readonly watch: MarketWatch;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Told when making fails for the first time since it last worked, and when it works again. */
  readonly onFailure: (error: unknown) => void;
  readonly onRecovery: () => void;
  /** How long a visitor waits for the database; then the last page says what there is. */
  readonly patienceMs?: number | undefined;
}

export interface LatestPage<Page> {
  /** The page of the market as it is, at once if that is ready; the stale one if it cannot be made in time. */
  page(): Page | Promise<Page>;
  /** Resolves once a page was made, or could not be. */
  prepare(): Promise<void>;
  close(): void;
}

const LIMITS = {
  /** A page says when it was read, to the minute. */
  currentFor: 60_000,
  /** A stale page is made anew when its data were current so much later than it says: it says so to the minute. */
  staleFor: 60_000,
  /** So long before its time is over a page that is asked for is made anew, so that nobody waits for the next. */
  ahead: 10_000,
  /** While nobody tells what is committed, a page is as current as the budget for a commit to be seen allows. */
  currentUntold: 1_000,
  patience: 1_000,
  /** After a failure so long passes before it is tried again, and between pages that nobody asks for. */
  pause: 1_000,
} as const;

/** The page that was made last, of which version of the market, and when that was read. */
interface Held<Reading, Page> {
  readonly page: Page;
  readonly reading: Reading;
  readonly version: number;
  readonly at: number;
}

/** A page on its way. */
interface Making {
  /** Whether that takes longer than a visitor waits: measured by a timer, as a clock may be set meanwhile. */
  isOverdue: boolean;
  /** Whether its rows are there, so that only this process is waited for. */
  isRead: boolean;
  over: Promise<void>;
}

/**
 * The rendered page, kept for as long as it is what a new one would be: until the market's version grows, a minute
 * at most. One is made at a time, whoever asks; it begins as soon as the version grows. Times are those of `now`.
 */
export function latestPage<Reading extends { readonly at: number }, Page>(
  source: PageSource<Reading, Page>,
): LatestPage<Page> {
  const { read, render, renderStale, shell, watch, now, onFailure, onRecovery } = source;
  const { patienceMs = LIMITS.patience } = source;
  let held: Held<Reading, Page> | null = null;
  /** The stale page that was made last, the page it stands for, and the time it shows. */
  let stale: { readonly of: Held<Reading, Page>; readonly at: number; readonly page: Promise<Page> } | null =
    null;
  let making: Making | null = null;
  let fresh: { readonly version: number; readonly page: Promise<Page> } | null = null;
  /** When making failed last; null once it has worked again. */
  let failedAt: number | null = null;
  let begunAt = Number.NEGATIVE_INFINITY;
  let isAsked = false;
  let isClosed = false;
  let later: NodeJS.Timeout | null = null;

  /** The last page as one of a database that does not answer; the shell when there is none. */
  function stalePage(): Page | Promise<Page> {
    if (held === null) return shell;
    const currentAt = held.version === watch.version ? Math.max(held.at, watch.knownAt) : held.at;
    if (stale?.of !== held || Math.abs(currentAt - stale.at) >= LIMITS.staleFor) {
      stale = { of: held, at: currentAt, page: renderStale(held.reading, currentAt) };
      const { page } = stale;
      page.catch(() => {
        if (stale?.page === page) stale = null;
      });
    }
    return stale.page;
  }
  /** Whether so little time has passed since; a clock that was set back must not make it longer. */
  const isWithin = (since: number, time: number) => now() >= since && now() - since < time;
  const isOf = (version: number, time: number) =>
    held !== null && held.version >= version && isWithin(held.at, time);
  const isCurrent = () => isOf(watch.version, watch.isTold ? LIMITS.currentFor : LIMITS.currentUntold);

  async function make(mine: Making): Promise<void> {
    // Before anything is read: what is committed meanwhile may be in it or not.
    const { version } = watch;
    try {
      const reading = await read();
      mine.isRead = true;
      held = { page: await render(reading), reading, version, at: reading.at };
      stale = null;
      if (failedAt !== null) onRecovery();
      failedAt = null;
    } catch (error) {
      if (failedAt === null && !isClosed) onFailure(error);
      failedAt = now();
    }
  }

  function begin(): Promise<void> {
    if (making !== null) return making.over;
    begunAt = now();
    isAsked = false;
    const mine: Making = { isOverdue: false, isRead: false, over: Promise.resolve() };
    const patience = setTimeout(() => {
      mine.isOverdue = true;
    }, patienceMs).unref();
    mine.over = make(mine).then(() => {
      clearTimeout(patience);
      making = null;
      if (failedAt === null && held !== null && held.version < watch.version) beginUnasked();
    });
    making = mine;
    return mine.over;
  }

  /** For whoever comes next: at once while somebody asks, otherwise not more often than there is a use of it. */
  function beginUnasked(): void {
    if (isClosed || later !== null) return;
    if (isAsked || !isWithin(begunAt, LIMITS.pause)) {
      void begin();
      return;
    }
    later = setTimeout(() => {
      later = null;
      if (held === null || held.version < watch.version) void begin();
    }, LIMITS.pause);
    later.unref();
  }

  const isPausing = () => failedAt !== null && isWithin(failedAt, LIMITS.pause);

  const isStalled = () => making?.isOverdue === true && !making.isRead;

  async function makeUntil(version: number): Promise<void> {
    do await begin();
    while (failedAt === null && !isOf(version, LIMITS.currentFor));
  }

  /** The page once it is of the version; the stale one when that fails or the database takes too long. */
  async function waitFor(version: number): Promise<Page> {
    let timer: NodeJS.Timeout | undefined;
    // Begins first, so that what it makes is overdue by the time the visitor's patience ends.
    const made = makeUntil(version);
    const impatience = new Promise<void>((resolve) => {
      timer = setTimeout(() => resolve(making?.isRead ? making.over : undefined), patienceMs);
    });
    await Promise.race([made, impatience]);
    clearTimeout(timer);
    if (fresh?.version === version) fresh = null;
    const isDatabaseSilent = failedAt !== null || isStalled();
    return held === null || (isDatabaseSilent && !isOf(version, LIMITS.currentFor)) ? stalePage() : held.page;
  }

  const stop = watch.onChange(beginUnasked);

  return {
    page() {
      isAsked = true;
      if (held !== null && isCurrent()) {
        const isEnding = !isWithin(held.at, LIMITS.currentFor - LIMITS.ahead);
        if (isEnding && !isPausing()) void begin();
        return held.page;
      }
      if (failedAt !== null) {
        if (!isPausing()) void begin();
        return stalePage();
      }
      if (isStalled()) return stalePage();
      if (fresh === null || fresh.version < watch.version) {
        fresh = { version: watch.version, page: waitFor(watch.version) };
      }
      return fresh.page;
    },
    prepare: begin,
    close() {
      isClosed = true;
      stop();
      if (later !== null) clearTimeout(later);
    },
  };
}
