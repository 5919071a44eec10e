import type { MarketWatch } from '../market-watch.ts';

/** The time range (epoch ms) for which a release is valid. */
export interface Span {
  /** Time of its reads. */
  readonly at: number;
  /** At most a minute later. */
  readonly until: number;
}

interface ReleaseSource<Rows extends Span, Release> {
  /** Reads everything of a release, in one snapshot. */
  readonly read: () => Promise<Rows>;
  readonly build: (rows: Rows) => Promise<Release>;
  /** Builds the release to serve while the database is away. `currentAt` (epoch ms) is when its rows were last current. */
  readonly buildStale: (rows: Rows, release: Release, currentAt: number) => Promise<Release>;
  /** Builds the release without rows, to serve before the first one with rows. */
  readonly empty: () => Promise<Release>;
  readonly watch: MarketWatch;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called when a build fails for the first time since one succeeded. */
  readonly onFailure: (error: unknown) => void;
  /** Called when a build succeeds again. */
  readonly onRecovery: () => void;
  /** Time that a request waits for the database before it gets the stale release. */
  readonly waitMs?: number | undefined;
}

export interface Releases<Release> {
  /** The newest release, current or not; null before the first. */
  readonly latest: Release | null;
  /** Returns the current release if it is built, else a promise of it, or of the stale one if it cannot be built in time. */
  current(): Release | Promise<Release>;
  /** Builds a release. Resolves when that has succeeded or failed. */
  prepare(): Promise<void>;
  close(): void;
}

export const RELEASE_TIMES = {
  /** The page shows the minute in which it was read. */
  currentMs: 60_000,
  /** A request within this time before the end of the minute starts the next build, so that no request waits for it. */
  aheadMs: 10_000,
  /** Within this time a commit must be visible while commits are not detected. */
  undetectedMs: 1_000,
  /** The stale page shows its time to the minute. */
  staleMs: 60_000,
  waitMs: 1_000,
  /** Between a failed build and the next attempt, and between builds without a request. */
  pauseMs: 1_000,
} as const;

interface Built<Rows, Release> {
  readonly release: Release;
  readonly rows: Rows;
  readonly version: number;
}

interface Build {
  /** True once it takes longer than a request waits. Set by a timer, since the clock may be changed meanwhile. */
  isOverdue: boolean;
  /** True once the database has sent all rows. */
  isRead: boolean;
  done: Promise<void>;
}

/**
 * Builds releases one at a time and publishes each when it is complete. A release is current during its span while the
 * version of the data is still the one it was read at. A new version starts the next build at once; the end of the span
 * starts it with the next request.
 */
export function createReleases<Rows extends Span, Release>(
  source: ReleaseSource<Rows, Release>,
): Releases<Release> {
  const { read, build, buildStale, empty, watch, now, onFailure, onRecovery } = source;
  const { undetectedMs, aheadMs, staleMs, pauseMs } = RELEASE_TIMES;
  const waitMs = source.waitMs ?? RELEASE_TIMES.waitMs;
  let newest: Built<Rows, Release> | null = null;
  let stale: {
    readonly of: Built<Rows, Release>;
    readonly at: number;
    readonly release: Promise<Release>;
  } | null = null;
  let building: Build | null = null;
  /** The release that all requests wait for since this version. */
  let awaited: { readonly version: number; readonly release: Promise<Release> } | null = null;
  /** Time at which the last build failed; null if it succeeded. */
  let failedAt: number | null = null;
  let begunAt = Number.NEGATIVE_INFINITY;
  let isRequested = false;
  let isClosed = false;
  let later: NodeJS.Timeout | null = null;

  /** True if less than `ms` have passed since that time. False if the clock was set back. */
  const isWithin = (since: number, ms: number) => now() >= since && now() - since < ms;
  const isOf = (version: number) =>
    newest !== null &&
    newest.version >= version &&
    isWithin(newest.rows.at, newest.rows.until - newest.rows.at);
  const isCurrent = () =>
    isOf(watch.version) && (watch.isWatching || (newest !== null && isWithin(newest.rows.at, undetectedMs)));
  const isOutdated = () => newest === null || newest.version < watch.version;
  const isPausing = () => failedAt !== null && isWithin(failedAt, pauseMs);
  const isStalled = () => building?.isOverdue === true && !building.isRead;

  function staleRelease(): Promise<Release> {
    if (newest === null) return empty();
    const { at } = newest.rows;
    const currentAt = isOutdated() ? at : Math.max(at, watch.knownAt);
    if (stale?.of !== newest || Math.abs(currentAt - stale.at) >= staleMs) {
      const release = buildStale(newest.rows, newest.release, currentAt);
      stale = { of: newest, at: currentAt, release };
      release.catch(() => {
        if (stale?.release === release) stale = null;
      });
    }
    return stale.release;
  }

  async function run(mine: Build): Promise<void> {
    // Taken before the reads, which may miss a commit that happens during them.
    const { version } = watch;
    try {
      const rows = await read();
      mine.isRead = true;
      newest = { release: await build(rows), rows, version };
      stale = null;
      if (failedAt !== null) onRecovery();
      failedAt = null;
    } catch (error) {
      if (failedAt === null && !isClosed) onFailure(error);
      failedAt = now();
    }
  }

  function begin(): Promise<void> {
    if (building !== null) return building.done;
    begunAt = now();
    isRequested = false;
    const mine: Build = { isOverdue: false, isRead: false, done: Promise.resolve() };
    const overdue = setTimeout(() => {
      mine.isOverdue = true;
    }, waitMs).unref();
    mine.done = run(mine).then(() => {
      clearTimeout(overdue);
      building = null;
      if (failedAt === null && isOutdated()) beginUnrequested();
    });
    building = mine;
    return mine.done;
  }

  /** Starts a build after a commit: at once if the last release was requested, else at most once per second. */
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

  /** Resolves to the release once it has the version; to the stale one if that fails or the database takes too long. */
  async function waitFor(version: number): Promise<Release> {
    let timer: NodeJS.Timeout | undefined;
    // Begins first, so that its timer for `isOverdue` ends before the timer of this request.
    const built = buildUntil(version);
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(() => resolve(building?.isRead ? building.done : undefined), waitMs);
    });
    await Promise.race([built, timeout]);
    clearTimeout(timer);
    if (awaited?.version === version) awaited = null;
    const isDatabaseSilent = failedAt !== null || isStalled();
    return newest === null || (isDatabaseSilent && !isOf(version)) ? staleRelease() : newest.release;
  }

  const stop = watch.onChange(beginUnrequested);

  return {
    get latest() {
      return newest?.release ?? null;
    },
    current() {
      isRequested = true;
      if (newest !== null && isCurrent()) {
        const isEnding = now() - newest.rows.at >= RELEASE_TIMES.currentMs - aheadMs;
        if (isEnding && !isPausing()) void begin();
        return newest.release;
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
