import type { MarketWatch } from '../market-watch.ts';

/** A page and when its data were read, epoch milliseconds. */
export interface Dated<Page> {
  readonly page: Page;
  readonly at: number;
}

interface PageSource<Page> {
  /** Reads and renders the page as it is now, ready to be sent. */
  readonly make: () => Promise<Dated<Page>>;
  /** What is served while no page could be made yet. */
  readonly shell: Page;
  readonly watch: MarketWatch;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Told when making fails for the first time since it last worked, and when it works again. */
  readonly onFailure: (error: unknown) => void;
  readonly onRecovery: () => void;
}

export interface LatestPage<Page> {
  /** The page of the market as it is, at once where that is ready; the last one where it cannot be had in time. */
  page(): Page | Promise<Page>;
  close(): void;
}

const LIMITS = {
  /** A page says when it was read, to the minute. */
  currentFor: 60_000,
  /** So long before its time is over a page that is asked for is made anew, so that nobody waits for the next. */
  ahead: 10_000,
  /** While nobody tells what is committed, a page is as current as the budget for a commit to be seen allows. */
  currentUntold: 1_000,
  /** A visitor waits no longer for a page than this; then the last one says what there is. */
  patience: 1_000,
  /** After a failure so long passes before it is tried again, and between pages that nobody asks for. */
  pause: 1_000,
} as const;

/**
 * The rendered page, kept for as long as it is what a new one would be: until the market's version grows, a minute
 * at most. One is made at a time, whoever asks; it begins as soon as the version grows. Times are those of `now`.
 */
export function latestPage<Page>(source: PageSource<Page>): LatestPage<Page> {
  const { make, shell, watch, now, onFailure, onRecovery } = source;
  let held: (Dated<Page> & { readonly version: number }) | null = null;
  let making: { readonly since: number; readonly over: Promise<void> } | null = null;
  let fresh: { readonly version: number; readonly page: Promise<Page> } | null = null;
  /** When making failed last; null once it has worked again. */
  let failedAt: number | null = null;
  let begunAt = Number.NEGATIVE_INFINITY;
  let isAsked = false;
  let isClosed = false;
  let later: NodeJS.Timeout | null = null;

  const last = (): Page => held?.page ?? shell;
  /** Whether so little time has passed since; a clock that was set back must not make it longer. */
  const isWithin = (since: number, time: number) => now() >= since && now() - since < time;
  const isOf = (version: number, time: number) =>
    held !== null && held.version >= version && isWithin(held.at, time);
  const isCurrent = () => isOf(watch.version, watch.isTold ? LIMITS.currentFor : LIMITS.currentUntold);

  async function makeOnce(): Promise<void> {
    // Before anything is read: what is committed meanwhile may be in it or not.
    const { version } = watch;
    try {
      held = { ...(await make()), version };
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
    const over = makeOnce().finally(() => {
      making = null;
      if (failedAt === null && held !== null && held.version < watch.version) beginUnasked();
    });
    making = { since: begunAt, over };
    return over;
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

  async function makeUntil(version: number): Promise<void> {
    do await begin();
    while (failedAt === null && !isOf(version, LIMITS.currentFor));
  }

  /** The page once it is of the version; the last one when that fails or takes too long. */
  async function waitFor(version: number): Promise<Page> {
    let timer: NodeJS.Timeout | undefined;
    const impatience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LIMITS.patience);
    });
    await Promise.race([makeUntil(version), impatience]);
    clearTimeout(timer);
    if (fresh?.version === version) fresh = null;
    return last();
  }

  const stop = watch.onChange(beginUnasked);

  return {
    page() {
      isAsked = true;
      if (isCurrent()) {
        const isEnding = held !== null && !isWithin(held.at, LIMITS.currentFor - LIMITS.ahead);
        if (isEnding && !isPausing()) void begin();
        return last();
      }
      if (failedAt !== null) {
        if (!isPausing()) void begin();
        return last();
      }
      if (making !== null && !isWithin(making.since, LIMITS.patience)) return last();
      if (fresh === null || fresh.version < watch.version) {
        fresh = { version: watch.version, page: waitFor(watch.version) };
      }
      return fresh.page;
    },
    close() {
      isClosed = true;
      stop();
      if (later !== null) clearTimeout(later);
    },
  };
}
