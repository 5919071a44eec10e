import type { Resource } from '../http/response.ts';
import type { MarketWatch } from '../market-watch.ts';

export interface Versioned<Value> {
  readonly value: Value;
  /** Returns the whole seconds since the value was last known to be current; null for a current value. */
  readonly age: (() => number) | null;
}

export type Served = Versioned<Resource>;

/** Returns the whole seconds from one instant to another; 0 if the clock was set back (epoch ms). */
export const secondsBetween = (from: number, to: number) => Math.max(0, Math.floor((to - from) / 1_000));

export interface CacheOptions {
  readonly watch: MarketWatch;
  readonly now: () => number;
  /** Time that a request waits for the next value (ms). After it, the request gets the last value. */
  readonly waitMs?: number | undefined;
}

interface CachedValueOptions<Value> extends CacheOptions {
  /**
   * Reads the data of a value in one snapshot, and builds the value. A build that takes long calls `onRead` in between:
   * requests then wait for its end.
   */
  readonly build: (onRead: () => void) => Promise<Value>;
  /** Returns the end of the validity of a value that is read at `at` (epoch ms). By default, only a commit ends it. */
  readonly endOf?: (at: number) => number;
  /** Builds a value as soon as the data change. By default, the next request builds it. */
  readonly isEager?: boolean;
  /** Changes the last value while the database is unavailable. It was last known to be current at `currentAt` (epoch ms). */
  readonly buildStale?: (value: Value, currentAt: number) => Promise<Value>;
  /** Builds the value to serve until the first one is built. Without it, requests wait for the first value. */
  readonly empty?: () => Promise<Value>;
  readonly onFailure?: (error: unknown) => void;
  readonly onRecovery?: () => void;
}

export interface CachedValue<Value> {
  /** The newest value, even if it is not current any more; null before the first. */
  readonly latest: Value | null;
  /** Returns the current value. If it is not built in time, resolves to the last one, or rejects without one. */
  current(): Versioned<Value> | Promise<Versioned<Value>>;
  /** Builds a value. Resolves when the build has succeeded or failed. */
  prepare(): Promise<void>;
  close(): void;
}

/** Maximum time for which a page is current (ms), because it shows the minute in which its data were read. */
export const CURRENT_MS = 60_000;
/** In this last part of the validity (ms), a request starts the next build, so that later requests do not have to wait. */
const AHEAD_MS = 10_000;
/** Maximum time until a commit is visible while the watch cannot detect commits (ms). */
const UNDETECTED_MS = 1_000;
/** Time after which a stale value is built again (ms), because a page shows to the minute how old its data are. */
const STALE_MS = 60_000;
export const WAIT_MS = 1_000;
/** Minimum time between a failed build and the next attempt, and between two builds that no request started (ms). */
const PAUSE_MS = 1_000;

interface Built<Value> extends Versioned<Value> {
  readonly version: number;
  /** The start of the build, and the end of the validity (epoch ms). */
  readonly at: number;
  readonly until: number;
}

interface Build {
  /** True once the build takes longer than a request waits. A timer sets it, because the clock may be changed. */
  isOverdue: boolean;
  /** True once the database has sent all rows. */
  isRead: boolean;
  done: Promise<void>;
}

/** Caches the value of the newest version of the data. It builds one value at a time, and then replaces the last one. */
export function createCachedValue<Value>(source: CachedValueOptions<Value>): CachedValue<Value> {
  const { build, empty, watch, now, isEager = false, waitMs = WAIT_MS } = source;
  const { endOf = () => Number.POSITIVE_INFINITY, buildStale = async (value: Value) => value } = source;
  let newest: Built<Value> | null = null;
  let stale: {
    readonly of: Built<Value>;
    readonly at: number;
    readonly value: Promise<Versioned<Value>>;
  } | null = null;
  let building: Build | null = null;
  /** The promise of the value of the current version. All requests that wait share it. */
  let awaited: { readonly version: number; readonly value: Promise<Versioned<Value>> } | null = null;
  /** The last build, if it failed. */
  let failed: { readonly at: number; readonly error: unknown } | null = null;
  let begunAt = Number.NEGATIVE_INFINITY;
  let isRequested = false;
  let isClosed = false;
  let later: NodeJS.Timeout | null = null;

  /** True if less than `ms` have passed since a time; false if the clock was set back before that time. */
  const isWithin = (since: number, ms: number) => now() >= since && now() - since < ms;
  const isOf = (version: number) =>
    newest !== null && newest.version >= version && isWithin(newest.at, newest.until - newest.at);
  const isCurrent = () =>
    isOf(watch.version) && (watch.isWatching || (newest !== null && isWithin(newest.at, UNDETECTED_MS)));
  const isOutdated = () => newest === null || newest.version < watch.version;
  const isPausing = () => failed !== null && isWithin(failed.at, PAUSE_MS);
  const isStalled = () => building?.isOverdue === true && !building.isRead;
  /** True if there is a value to serve in place of the current one. */
  const hasFallback = () => newest !== null || empty !== undefined;

  async function fallback(): Promise<Versioned<Value>> {
    if (newest === null) {
      if (empty === undefined) throw failed?.error;
      return { value: await empty(), age: null };
    }
    const { at, value } = newest;
    const currentAt = isOutdated() ? at : Math.max(at, watch.knownAt);
    if (stale?.of !== newest || Math.abs(currentAt - stale.at) >= STALE_MS) {
      const age = () => secondsBetween(currentAt, now());
      const changed = buildStale(value, currentAt).then((built) => ({ value: built, age }));
      stale = { of: newest, at: currentAt, value: changed };
      changed.catch(() => {
        if (stale?.value === changed) stale = null;
      });
    }
    return stale.value;
  }

  async function run(mine: Build): Promise<void> {
    // Must come before the reads, which may miss a commit that is made during the reads.
    const { version } = watch;
    const at = begunAt;
    try {
      const value = await build(() => {
        mine.isRead = true;
      });
      newest = { value, age: null, version, at, until: endOf(at) };
      stale = null;
      if (failed !== null) source.onRecovery?.();
      failed = null;
    } catch (error) {
      if (failed === null && !isClosed) source.onFailure?.(error);
      failed = { at: now(), error };
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
      if (isEager && failed === null && isOutdated()) beginUnrequested();
    });
    building = mine;
    return mine.done;
  }

  /** Starts a build after a commit: immediately if the last value was requested, otherwise at most once per second. */
  function beginUnrequested(): void {
    if (isClosed || later !== null) return;
    if (isRequested || !isWithin(begunAt, PAUSE_MS)) {
      void begin();
      return;
    }
    later = setTimeout(() => {
      later = null;
      if (isOutdated()) void begin();
    }, PAUSE_MS).unref();
  }

  async function buildUntil(version: number): Promise<void> {
    do await begin();
    while (failed === null && !isOf(version));
  }

  /** Resolves to the newest value when it has this version; to the last one if the build fails or the database is too slow. */
  async function waitFor(version: number): Promise<Versioned<Value>> {
    let timer: NodeJS.Timeout | undefined;
    const before = newest;
    // Starts the build before the timer of this request, so that the timer that sets `isOverdue` ends first.
    const built = buildUntil(version);
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        if (hasFallback()) resolve(building?.isRead ? building.done : undefined);
      }, waitMs);
    });
    await Promise.race([built, timeout]);
    clearTimeout(timer);
    if (awaited?.version === version) awaited = null;
    const isDatabaseSilent = failed !== null || isStalled();
    const isNew = newest !== before && isOf(version);
    return newest === null || (isDatabaseSilent && !isNew) ? fallback() : newest;
  }

  const stop = isEager ? watch.onChange(beginUnrequested) : () => undefined;

  return {
    get latest() {
      return newest?.value ?? null;
    },
    current() {
      isRequested = true;
      if (newest !== null && isCurrent()) {
        // A shorter validity ends when the reads change, so a build before its end would not help.
        const isEnding = now() >= newest.until - AHEAD_MS && newest.until - newest.at >= CURRENT_MS;
        if (isEnding && !isPausing()) void begin();
        return newest;
      }
      if (failed !== null && (isEager || isPausing())) {
        if (!isPausing()) void begin();
        return fallback();
      }
      if (isStalled() && hasFallback()) return fallback();
      if (awaited === null || awaited.version < watch.version) {
        awaited = { version: watch.version, value: waitFor(watch.version) };
      }
      return awaited.value;
    },
    prepare: begin,
    close() {
      isClosed = true;
      stop();
      if (later !== null) clearTimeout(later);
    },
  };
}
