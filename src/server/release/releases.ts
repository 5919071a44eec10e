import type { MarketWatch } from '../market-watch.ts';

/** The times between which a release is valid. */
export interface Span {
  /** Time of the release's reads (epoch ms). */
  readonly at: number;
  /** The end of the release's validity (epoch ms), at most a minute after its build. */
  readonly until: number;
}

interface ReleaseSource<Rows extends Span, Release> {
  /** Reads the data of a release in one snapshot. */
  readonly read: () => Promise<Rows>;
  readonly build: (rows: Rows) => Promise<Release>;
  /**
   * Builds the release to serve while the database is unavailable. `currentAt` is the last time at which its rows were
   * known to be current (epoch ms).
   */
  readonly buildStale: (rows: Rows, release: Release, currentAt: number) => Promise<Release>;
  /** Builds a release without rows, which is served until the first release with rows is built. */
  readonly empty: () => Promise<Release>;
  readonly watch: MarketWatch;
  /** Returns the current time (epoch milliseconds). */
  readonly now: () => number;
  /** Called at the first failed build after a successful one. */
  readonly onFailure: (error: unknown) => void;
  /** Called at the first successful build after a failed one. */
  readonly onRecovery: () => void;
  /** Time that a request waits for the next release (ms). After it, the request gets the stale release. */
  readonly waitMs?: number | undefined;
}

export interface Releases<Release> {
  /** The newest release, even if it is not current any more; null before the first. */
  readonly latest: Release | null;
  /**
   * Returns the current release if it is already built. Otherwise returns a promise of the current release. If its
   * build takes too long, the promise resolves to the last release.
   */
  current(): Release | Promise<Release>;
  /** Builds a release. Resolves when the build has succeeded or failed. */
  prepare(): Promise<void>;
  close(): void;
}

export const RELEASE_TIMES = {
  /**
   * Maximum time for which a release is current (ms), because the page shows the minute in which its data were read.
   */
  currentMs: 60_000,
  /**
   * In this last part of the minute (ms), a request starts the next build, so that later requests do not have to wait.
   */
  aheadMs: 10_000,
  /** Maximum time until a commit is visible while the watch cannot detect commits (ms). */
  undetectedMs: 1_000,
  /** Time after which a stale page is built again (ms), because it shows to the minute how old its data are. */
  staleMs: 60_000,
  waitMs: 1_000,
  /** Minimum time between a failed build and the next attempt, and between two builds that no request started (ms). */
  pauseMs: 1_000,
} as const;

interface Built<Rows, Release> {
  readonly release: Release;
  readonly rows: Rows;
  readonly version: number;
}

interface Build {
  /**
   * True once the build takes longer than a request waits. A timer sets it, because the clock may be changed during the
   * build.
   */
  isOverdue: boolean;
  /** True once the database has sent all rows. */
  isRead: boolean;
  done: Promise<void>;
}

/**
 * Builds releases one at a time, and publishes each when it is complete. A release is current during its validity,
 * unless the data have changed since its reads. A change of the data starts the next build immediately. After the
 * validity has ended, the next request starts it.
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
  /** The promise of the release of the current version. All requests that wait share it. */
  let awaited: { readonly version: number; readonly release: Promise<Release> } | null = null;
  /** Time at which the last build failed; null if it succeeded. */
  let failedAt: number | null = null;
  let begunAt = Number.NEGATIVE_INFINITY;
  let isRequested = false;
  let isClosed = false;
  let later: NodeJS.Timeout | null = null;

  /** True if less than `ms` have passed since a time; false if the clock was set back before that time. */
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
    // Must come before the reads, which may miss a commit that is made during the reads.
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

  /**
   * Starts a build after a commit. It starts immediately if the last release was requested, otherwise at most once per
   * second.
   */
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

  /**
   * Resolves to the newest release when it has this version of the data. Resolves to the stale release if the build
   * fails or the database takes too long.
   */
  async function waitFor(version: number): Promise<Release> {
    let timer: NodeJS.Timeout | undefined;
    // Starts the build before the timer of this request, so that the timer that sets `isOverdue` ends first.
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
