import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeMarketWatch } from '#tests/support/fake-market-watch.ts';
import { type CachedValue, createCachedValue } from './cached-value.ts';

const EMPTY = 'the empty release';
const START = Date.parse('2026-11-13T21:30:00Z');

/** A build of a release. The test ends it. */
interface Build {
  finish: () => Promise<void>;
  /** Ends the reads of the build, but not the build. */
  finishReading: () => Promise<void>;
  fail: () => Promise<void>;
}

interface Rows {
  name: string;
  building: Promise<void>;
}

const settle = async () => {
  await vi.advanceTimersByTimeAsync(0);
};

let watch: ReturnType<typeof fakeMarketWatch>;
let builds: Build[];
let logged: string[];
/** The names of the stale releases that were built. */
let rendered: string[];
let releases: CachedValue<string>;

const now = () => Date.now();

/** Simulates a commit, which the watch detects at once. */
function commit(): void {
  watch.version += 1;
  for (const listener of watch.listeners) listener();
}

function read(): Promise<Rows> {
  const seen = watch.version;
  let built = () => {};
  const building = new Promise<void>((resolve) => {
    built = resolve;
  });
  return new Promise((resolve, reject) => {
    const finishReading = () => {
      resolve({ name: `release ${builds.length} of version ${seen}`, building });
      return settle();
    };
    builds.push({
      finishReading,
      finish: () => {
        built();
        return finishReading();
      },
      fail: () => {
        reject(new Error('away'));
        return settle();
      },
    });
  });
}

function lastBuild(): Build {
  const build = builds.at(-1);
  if (build === undefined) throw new Error('There is no build.');
  return build;
}

/** Returns the release that a request gets. */
function current(): string | Promise<string> {
  const version = releases.current();
  return version instanceof Promise ? version.then(({ value }) => value) : version.value;
}

/** Returns the release that a request gets, or 'waits' if the request must wait. */
const visit = async () => Promise.race([current(), settle().then(() => 'waits')]);

async function begin(): Promise<void> {
  const release = current();
  await lastBuild().finish();
  await release;
}

/** Builds the first release and makes a commit a second later, which starts the second build. */
async function beginAndCommit(): Promise<void> {
  await begin();
  vi.advanceTimersByTime(1_000);
  commit();
}

/** Builds the first release and fails to build the second one a minute later. Returns what a visitor gets then. */
async function beginAndFail(): Promise<string> {
  await begin();
  vi.advanceTimersByTime(60_000);
  const release = current();
  await lastBuild().fail();
  return release;
}

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  watch = fakeMarketWatch(now);
  watch.version = 0;
  builds = [];
  logged = [];
  rendered = [];
  releases = createCachedValue<string>({
    ...{ watch, now, isEager: true },
    async build(onRead) {
      const { name, building } = await read();
      onRead();
      return building.then(() => name);
    },
    endOf: (at) => at + 60_000,
    buildStale: async (name, currentAt) => {
      rendered.push(name);
      return `${name}, current at ${(currentAt - START) / 1_000} s`;
    },
    empty: async () => EMPTY,
    onFailure: (error) => logged.push(String(error)),
    onRecovery: () => logged.push('recovered'),
  });
});

afterEach(() => {
  releases.close();
  vi.useRealTimers();
});

describe('a release', () => {
  it('is built once for all requests', async () => {
    const all = Array.from({ length: 500 }, current);
    await lastBuild().finish();
    expect(new Set(await Promise.all(all))).toEqual(new Set(['release 1 of version 0']));
    expect(current()).toBe('release 1 of version 0');
    expect(builds).toHaveLength(1);
  });

  it('is replaced after a commit by a new release, for which requests wait', async () => {
    await beginAndCommit();
    expect(builds).toHaveLength(2);
    const visits = [current(), current()];
    expect(await visit()).toBe('waits');
    await lastBuild().finish();
    expect(await Promise.all(visits)).toEqual(['release 2 of version 1', 'release 2 of version 1']);
    expect(builds).toHaveLength(2);
  });

  it('is not current if its build began before the commit', async () => {
    await beginAndCommit();
    commit();
    const release = current();
    expect(builds).toHaveLength(2);
    await lastBuild().finish();
    commit();
    expect(await visit()).toBe('waits');
    await lastBuild().finish();
    expect(await release).toBe('release 3 of version 2');
    expect(await visit()).toBe('waits');
    await lastBuild().finish();
    expect(await visit()).toBe('release 4 of version 3');
  });

  it('is rebuilt a minute later at the next request [R23]', async () => {
    await begin();
    vi.advanceTimersByTime(49_999);
    expect(current()).toBe('release 1 of version 0');
    expect(builds).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(current()).toBe('release 1 of version 0');
    expect(builds).toHaveLength(2);
    await lastBuild().finish();
    vi.advanceTimersByTime(60_000);
    expect(await visit()).toBe('waits');
    await lastBuild().finish();
    expect(await visit()).toBe('release 3 of version 0');
  });

  it('is served until the next release is complete', async () => {
    expect(releases.latest).toBeNull();
    await begin();
    commit();
    expect(releases.latest).toBe('release 1 of version 0');
    await vi.advanceTimersByTimeAsync(1_000);
    await lastBuild().finishReading();
    expect(releases.latest).toBe('release 1 of version 0');
    await lastBuild().finish();
    expect(releases.latest).toBe('release 2 of version 1');
  });

  it('is rebuilt after the clock was set back', async () => {
    await begin();
    vi.setSystemTime(now() - 3_600_000);
    expect(await visit()).toBe('waits');
  });

  it('is awaited if the clock is set back during its build', async () => {
    await beginAndCommit();
    vi.setSystemTime(now() - 3_600_000);
    const release = current();
    expect(await visit()).toBe('waits');
    await lastBuild().finish();
    await lastBuild().finish();
    expect(await release).toBe('release 3 of version 1');
  });

  it('is rebuilt after a second while commits are not detected', async () => {
    watch.isWatching = false;
    await begin();
    vi.advanceTimersByTime(999);
    expect(current()).toBe('release 1 of version 0');
    vi.advanceTimersByTime(1);
    expect(await visit()).toBe('waits');
  });

  it('is built at most once a second without requests', async () => {
    await begin();
    vi.advanceTimersByTime(1_000);
    for (let change = 0; change < 50; change += 1) {
      commit();
      await lastBuild().finish();
    }
    expect(builds).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1_000);
    await lastBuild().finish();
    expect(builds).toHaveLength(3);
    expect(current()).toBe('release 3 of version 50');
  });

  it('is not built after closing', async () => {
    await begin();
    vi.advanceTimersByTime(1_000);
    releases.close();
    commit();
    expect(watch.listeners.size).toBe(0);
    expect(builds).toHaveLength(1);
  });
});

describe('a release that cannot be built', () => {
  it('is replaced by the last release after a second', async () => {
    await beginAndCommit();
    const release = current();
    await vi.advanceTimersByTimeAsync(999);
    expect(await visit()).toBe('waits');
    await vi.advanceTimersByTimeAsync(1);
    expect(await release).toBe('release 1 of version 0, current at 0 s');
    expect(await visit()).toBe('release 1 of version 0, current at 0 s');
    expect(builds).toHaveLength(2);
    await lastBuild().finish();
    expect(current()).toBe('release 2 of version 1');
  });

  it('is awaited if its rows have been read in time', async () => {
    await beginAndCommit();
    const release = current();
    await lastBuild().finishReading();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await visit()).toBe('waits');
    await lastBuild().finish();
    expect(await release).toBe('release 2 of version 1');
  });

  it('is replaced by the last release and retried once a second', async () => {
    const stale = 'release 1 of version 0, current at 60 s';
    expect(await beginAndFail()).toBe(stale);
    for (let visitor = 0; visitor < 100; visitor += 1) expect(await visit()).toBe(stale);
    expect([builds.length, rendered]).toEqual([2, ['release 1 of version 0']]);
    vi.advanceTimersByTime(1_000);
    expect(await visit()).toBe(stale);
    expect(builds).toHaveLength(3);
    await lastBuild().fail();
    expect(logged).toEqual(['Error: away']);
  });

  it('is replaced by a stale release with the time of its reads if the version differs', async () => {
    await begin();
    vi.advanceTimersByTime(600_000);
    commit();
    await lastBuild().fail();
    expect(await visit()).toBe('release 1 of version 0, current at 0 s');
  });

  it('is replaced by the next release that can be built', async () => {
    await beginAndFail();
    vi.advanceTimersByTime(1_000);
    current();
    await lastBuild().finish();
    expect(current()).toBe('release 3 of version 0');
    expect(logged).toEqual(['Error: away', 'recovered']);
  });

  it('is retried at once after a commit', async () => {
    expect(await beginAndFail()).toBe(await visit());
    commit();
    expect(builds).toHaveLength(3);
    await lastBuild().finish();
    expect(current()).toBe('release 3 of version 1');
  });

  it('is replaced by the page without data after a second if the first release takes longer', async () => {
    const release = current();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await release).toBe(EMPTY);
    expect(await current()).toBe(EMPTY);
    await lastBuild().finish();
    expect(current()).toBe('release 1 of version 0');
  });

  it('is retried after a pause if its build began before the end of the minute', async () => {
    await begin();
    vi.advanceTimersByTime(50_000);
    current();
    await lastBuild().fail();
    for (let visitor = 0; visitor < 100; visitor += 1) expect(current()).toBe('release 1 of version 0');
    expect(builds).toHaveLength(2);
  });

  it('is not logged during closing', async () => {
    const release = current();
    releases.close();
    await lastBuild().fail();
    await release;
    expect(logged).toEqual([]);
  });
});

describe('a value that is built on request', () => {
  const create = (read: () => Promise<string>) => createCachedValue({ watch, now, build: read });

  it('is awaited, and rejects with the error of its build for a second', async () => {
    let isAway = true;
    const cached = create(async () => {
      if (isAway) throw new Error('away');
      return 'figures';
    });
    await expect(cached.current()).rejects.toThrow('away');
    isAway = false;
    await expect(cached.current()).rejects.toThrow('away');
    vi.advanceTimersByTime(1_000);
    expect(await cached.current()).toMatchObject({ value: 'figures', age: null });
    expect(watch.listeners.size).toBe(1);
  });

  it('is current until a commit, then stale while it cannot be built', async () => {
    let reads = 0;
    const cached = create(async () => {
      reads += 1;
      if (reads === 2) throw new Error('away');
      return `read ${reads}`;
    });
    await cached.current();
    vi.advanceTimersByTime(86_400_000);
    expect(cached.current()).toMatchObject({ value: 'read 1', age: null });
    watch.version += 1;
    const stale = await cached.current();
    expect([stale.value, stale.age?.()]).toEqual(['read 1', 86_400]);
    vi.advanceTimersByTime(1_000);
    expect(await cached.current()).toMatchObject({ value: 'read 3', age: null });
  });
});
