import type { MarketWatch } from '../market-watch.ts';

/** The span of time (epoch ms) in which a release says the truth: its minute, and the parameters of its reads. */
export interface Span {
  /** When it was read. */
  readonly at: number;
  /** At most a minute later. */
  readonly until: number;
}

interface ReleaseSource<Rows extends Span, Release> {
  /** Reads everything of a release, in one snapshot. */
  readonly read: () => Promise<Rows>;
  readonly build: (rows: Rows) => Promise<Release>;
  /** Builds the release to serve while the database does not answer; `currentAt` (epoch ms) is when its rows were last current. */
  readonly buildStale: (rows: Rows, release: Release, currentAt: number) => Promise<Release>;
  /** The release without any rows, served until there is one with rows. */
  readonly empty: () => Promise<Release>;
  readonly watch: MarketWatch;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called when a build fails for the first time since one succeeded. */
  readonly onFailure: (error: unknown) => void;
  /** Called when a build succeeds again. */
  readonly onRecovery: () => void;
  /** How long a request waits for the database before it gets the stale release. */
  readonly waitMs?: number | undefined;
}

export interface Releases<Release> {
  /** The newest release, current or not; null before the first. */
  readonly latest: Release | null;
  /** Returns the current release, at once if it is built; the stale one if it cannot be built in time. Never rejects for want of rows. */
  current(): Release | Promise<Release>;
  /** Builds a release; resolves when that has succeeded or failed. */
  prepare(): Promise<void>;
  close(): void;
}

export const RELEASE_TIMES = {
  /** The page shows the minute in which it was read. */
  currentMs: 60_000,
  /** A request within this time before the end of the minute starts the next build, so that nobody waits for it. */
  aheadMs: 10_000,
  /** While no commits are notified, the time within which a commit must be visible. */
  currentUntoldMs: 1_000,
  /** The stale page shows its time to the minute. */
  staleMs: 60_000,
  waitMs: 1_000,
  /** Between a failed build and the next attempt, and between builds that nobody asked for. */
  pauseMs: 1_000,
} as const;

interface Held<Rows, Release> {
  readonly release: Release;
  readonly rows: Rows;
  readonly version: number;
}

/** A build under way. */
interface Build {
  /** True once it takes longer than a request waits. Set by a timer, since the clock may be set meanwhile. */
  isOverdue: boolean;
  /** True once the rows are read, so that only this process is waited for. */
  isRead: boolean;
  done: Promise<void>;
}

/**
 * Builds releases one at a time and publishes each when it is complete. A release is current while the market's version
 * is the one it was read at and its span lasts. A new version starts the next build; the end of the span starts it with
 * the next request.
 */
export function createReleases<Rows extends Span, Release>(
  source: ReleaseSource<Rows, Release>,
): Releases<Release> {
  const { read, build, buildStale, empty, watch, now, onFailure, onRecovery } = source;
  const { currentUntoldMs, aheadMs, staleMs, pauseMs } = RELEASE_TIMES;
  const waitMs = source.waitMs ?? RELEASE_TIMES.waitMs;
  let held: Held<Rows, Release> | null = null;
  let stale: {
    readonly of: Held<Rows, Release>;
    readonly at: number;
    readonly release: Promise<Release>;
  } | null = null;
  let underWay: Build | null = null;
  /** The release that all requests of one version wait for. */
  let awaited: { readonly version: number; readonly release: Promise<Release> } | null = null;
  /** When a build failed last; null after a successful one. */
  let failedAt: number | null = null;
  let begunAt = Number.NEGATIVE_INFINITY;
  let isRequested = false;
  let isClosed = false;
  let later: NodeJS.Timeout | null = null;

  /** True if less than `ms` have passed since then; false if the clock was set back. */
  const isWithin = (since: number, ms: number) => now() >= since && now() - since < ms;
  const isOf = (version: number) =>
    held !== null && held.version >= version && isWithin(held.rows.at, held.rows.until - held.rows.at);
  const isCurrent = () =>
    isOf(watch.version) && (watch.isTold || (held !== null && isWithin(held.rows.at, currentUntoldMs)));
  const isOutdated = () => held === null || held.version < watch.version;
  const isPausing = () => failedAt !== null && isWithin(failedAt, pauseMs);
  const isStalled = () => underWay?.isOverdue === true && !underWay.isRead;

  function staleRelease(): Promise<Release> {
    if (held === null) return empty();
    const { at } = held.rows;
    const currentAt = isOutdated() ? at : Math.max(at, watch.knownAt);
    if (stale?.of !== held || Math.abs(currentAt - stale.at) >= staleMs) {
      const release = buildStale(held.rows, held.release, currentAt);
      stale = { of: held, at: currentAt, release };
      release.catch(() => {
        if (stale?.release === release) stale = null;
      });
    }
    return stale.release;
  }

  async function run(mine: Build): Promise<void> {
    // Noted before the reads: they may or may not include a commit that comes during them.
    const { version } = watch;
    try {
      const rows = await read();
      mine.isRead = true;
      held = { release: await build(rows), rows, version };
      stale = null;
      if (failedAt !== null) onRecovery();
      failedAt = null;
    } catch (error) {
      if (failedAt === null && !isClosed) onFailure(error);
      failedAt = now();
    }
  }

  function begin(): Promise<void> {
    if (underWay !== null) return underWay.done;
    begunAt = now();
    isRequested = false;
    const mine: Build = { isOverdue: false, isRead: false, done: Promise.resolve() };
    const overdue = setTimeout(() => {
      mine.isOverdue = true;
    }, waitMs).unref();
    mine.done = run(mine).then(() => {
      clearTimeout(overdue);
      underWay = null;
      if (failedAt === null && isOutdated()) beginUnrequested();
    });
    underWay = mine;
    return mine.done;
  }

  /** Starts a build for the next request: at once while requests come, else once a second at most. */
  function beginUnrequested(): void {
    if (isClosed || later !== null) return;
    if (isRequested || !isWithin(begunAt, pauseMs)) {
      void begin();
      return;
    }
    later = setTimeout(() => {
      later = null;
      if (isOutdated()) void begin();
    }, pauseMs);
    later.unref();
  }

  async function buildUntil(version: number): Promise<void> {
    do await begin();
    while (failedAt === null && !isOf(version));
  }

  /** The release once it is of the version; the stale one if that fails or the database takes too long. */
  async function waitFor(version: number): Promise<Release> {
    let timer: NodeJS.Timeout | undefined;
    // Begins first, so that the build is overdue when the patience of the request ends.
    const built = buildUntil(version);
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(() => resolve(underWay?.isRead ? underWay.done : undefined), waitMs);
    });
    await Promise.race([built, patience]);
    clearTimeout(timer);
    if (awaited?.version === version) awaited = null;
    const isDatabaseSilent = failedAt !== null || isStalled();
    return held === null || (isDatabaseSilent && !isOf(version)) ? staleRelease() : held.release;
  }

  const stop = watch.onChange(beginUnrequested);

  return {
    get latest() {
      return held?.release ?? null;
    },
    current() {
      isRequested = true;
      if (held !== null && isCurrent()) {
        const isEnding = now() - held.rows.at >= RELEASE_TIMES.currentMs - aheadMs;
        if (isEnding && !isPausing()) void begin();
        return held.release;
      }
      if (failedAt !== null) {
        if (!isPausing()) void begin();
        return staleRelease();
      }
      if (isStalled()) return staleRelease();
      if (awaited === null || awaited.version < watch.version) {
        awaited = { version: watch.version, release: waitFor(watch.version) };
      }
      return awaited.release;
    },
    prepare: begin,
    close() {
      isClosed = true;
      stop();
      if (later !== null) clearTimeout(later);
    },
  };
}
