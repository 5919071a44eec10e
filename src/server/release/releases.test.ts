import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeMarketWatch } from '#tests/support/fake-market-watch.ts';
import { createReleases, type Releases } from './releases.ts';

const EMPTY = 'the empty release';
const START = Date.parse('2026-11-13T21:30:00Z');

/** A build that the test finishes when it likes. */
interface Build {
  finish: () => Promise<void>;
  /** Finishes the reading alone. */
  finishReading: () => Promise<void>;
  fail: () => Promise<void>;
}

interface Rows {
  name: string;
  at: number;
  until: number;
  building: Promise<void>;
}

/** Lets everything go on that waits for nothing any more. */
const settle = async () => {
  await vi.advanceTimersByTimeAsync(0);
};

let watch: ReturnType<typeof fakeMarketWatch>;
let builds: Build[];
let told: string[];
/** The stale releases that were built. */
let rendered: string[];
let releases: Releases<string>;
/** How long a release lasts (ms). */
let lasts: number;

const now = () => Date.now();

/** A commit, which this process is told of at once. */
function commit(): void {
  watch.version += 1;
  for (const listener of watch.listeners) listener();
}

function read(): Promise<Rows> {
  const [seen, at] = [watch.version, now()];
  let built = () => {};
  const building = new Promise<void>((resolve) => {
    built = resolve;
  });
  return new Promise((resolve, reject) => {
    const finishReading = () => {
      resolve({ name: `release ${builds.length} of version ${seen}`, at, until: at + lasts, building });
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

/** The one that was begun last. */
function underWay(): Build {
  const build = builds.at(-1);
  if (build === undefined) throw new Error('Nothing has been begun.');
  return build;
}

/** The release that a request gets, or 'waits'. */
async function visit(): Promise<string> {
  const release = releases.current();
  if (typeof release === 'string') return release;
  return Promise.race([release, settle().then(() => 'waits')]);
}

/** The first release, ready before the test goes on. */
async function begin(): Promise<void> {
  const release = releases.current();
  await underWay().finish();
  await release;
}

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  watch = fakeMarketWatch(now);
  watch.version = 0;
  builds = [];
  told = [];
  rendered = [];
  lasts = 60_000;
  releases = createReleases({
    read,
    build: ({ name, building }) => building.then(() => name),
    buildStale: async ({ name }, _release, currentAt) => {
      rendered.push(name);
      return `${name}, current at ${(currentAt - START) / 1_000} s`;
    },
    empty: async () => EMPTY,
    watch,
    now,
    onFailure: (error) => told.push(String(error)),
    onRecovery: () => told.push('recovered'),
  });
});

afterEach(() => {
  releases.close();
  vi.useRealTimers();
});

describe('a release', () => {
  it('is built once for all requests', async () => {
    const all = Array.from({ length: 500 }, () => releases.current());
    await underWay().finish();
    expect(new Set(await Promise.all(all))).toEqual(new Set(['release 1 of version 0']));
    expect(releases.current()).toBe('release 1 of version 0');
    expect(builds).toHaveLength(1);
  });

  it('is followed at once by another after a commit, for which requests wait', async () => {
    await begin();
    vi.advanceTimersByTime(1_000);
    commit();
    expect(builds).toHaveLength(2);
    const visits = [releases.current(), releases.current()];
    expect(await visit()).toBe('waits');
    await underWay().finish();
    expect(await Promise.all(visits)).toEqual(['release 2 of version 1', 'release 2 of version 1']);
    expect(builds).toHaveLength(2);
  });

  it('is not one that was begun before the commit', async () => {
    await begin();
    vi.advanceTimersByTime(1_000);
    commit();
    commit();
    const release = releases.current();
    expect(builds).toHaveLength(2);
    await underWay().finish();
    commit();
    expect(await visit()).toBe('waits');
    await underWay().finish();
    expect(await release).toBe('release 3 of version 2');
    expect(await visit()).toBe('waits');
    await underWay().finish();
    expect(await visit()).toBe('release 4 of version 3');
  });

  it('is built anew for a request after a minute, and ahead of time while requests come [R23]', async () => {
    await begin();
    vi.advanceTimersByTime(49_999);
    expect(releases.current()).toBe('release 1 of version 0');
    expect(builds).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(releases.current()).toBe('release 1 of version 0');
    expect(builds).toHaveLength(2);
    await underWay().finish();
    vi.advanceTimersByTime(60_000);
    expect(await visit()).toBe('waits');
    await underWay().finish();
    expect(await visit()).toBe('release 3 of version 0');
  });

  it('is built anew for the first request after its end, as where a day begins', async () => {
    lasts = 20_000;
    await begin();
    vi.advanceTimersByTime(19_999);
    expect(releases.current()).toBe('release 1 of version 0');
    expect(builds).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(await visit()).toBe('waits');
    await underWay().finish();
    expect(releases.current()).toBe('release 2 of version 0');
  });

  it('stays the newest one until the next is complete', async () => {
    expect(releases.latest).toBeNull();
    await begin();
    commit();
    expect(releases.latest).toBe('release 1 of version 0');
    await vi.advanceTimersByTimeAsync(1_000);
    await underWay().finishReading();
    expect(releases.latest).toBe('release 1 of version 0');
    await underWay().finish();
    expect(releases.latest).toBe('release 2 of version 1');
  });

  it('is built anew when the clock was set back', async () => {
    await begin();
    vi.setSystemTime(now() - 3_600_000);
    expect(await visit()).toBe('waits');
  });

  it('is waited for when the clock was set back during its build', async () => {
    await begin();
    vi.advanceTimersByTime(1_000);
    commit();
    vi.setSystemTime(now() - 3_600_000);
    const release = releases.current();
    expect(await visit()).toBe('waits');
    await underWay().finish();
    await underWay().finish();
    expect(await release).toBe('release 3 of version 1');
  });

  it('is built anew after a second while commits are not notified', async () => {
    watch.isWatching = false;
    await begin();
    vi.advanceTimersByTime(999);
    expect(releases.current()).toBe('release 1 of version 0');
    vi.advanceTimersByTime(1);
    expect(await visit()).toBe('waits');
  });

  it('is built at most once a second without requests', async () => {
    await begin();
    vi.advanceTimersByTime(1_000);
    for (let change = 0; change < 50; change += 1) {
      commit();
      await underWay().finish();
    }
    expect(builds).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1_000);
    await underWay().finish();
    expect(builds).toHaveLength(3);
    expect(releases.current()).toBe('release 3 of version 50');
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
  it('in time is replaced by the last one, after a second, and at once for later requests', async () => {
    await begin();
    vi.advanceTimersByTime(1_000);
    commit();
    const release = releases.current();
    await vi.advanceTimersByTimeAsync(999);
    expect(await visit()).toBe('waits');
    await vi.advanceTimersByTimeAsync(1);
    expect(await release).toBe('release 1 of version 0, current at 0 s');
    expect(await visit()).toBe('release 1 of version 0, current at 0 s');
    expect(builds).toHaveLength(2);
    await underWay().finish();
    expect(releases.current()).toBe('release 2 of version 1');
  });

  it('in time because the machine is busy is waited for once its rows are read', async () => {
    await begin();
    vi.advanceTimersByTime(1_000);
    commit();
    const release = releases.current();
    await underWay().finishReading();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await visit()).toBe('waits');
    await underWay().finish();
    expect(await release).toBe('release 2 of version 1');
  });

  it('is replaced by the last one at once, retried once a second and logged once', async () => {
    await begin();
    vi.advanceTimersByTime(60_000);
    const release = releases.current();
    await underWay().fail();
    const stale = 'release 1 of version 0, current at 60 s';
    expect(await release).toBe(stale);
    for (let visitor = 0; visitor < 100; visitor += 1) expect(await visit()).toBe(stale);
    expect(builds).toHaveLength(2);
    vi.advanceTimersByTime(1_000);
    expect(await visit()).toBe(stale);
    expect(builds).toHaveLength(3);
    await underWay().fail();
    expect(told).toEqual(['Error: away']);
  });

  it('is replaced by one with the time when the database last confirmed it, built once while that stays the same', async () => {
    await begin();
    // Nobody comes for two hours, then the database goes away.
    vi.advanceTimersByTime(7_200_000);
    expect(watch.knownAt).toBe(START + 7_200_000);
    watch.isWatching = false;
    vi.advanceTimersByTime(1_800_000);
    const release = releases.current();
    await underWay().fail();
    expect(await release).toBe('release 1 of version 0, current at 7200 s');
    const staleRenderings = rendered.length;
    for (let visitor = 0; visitor < 100; visitor += 1) await visit();
    expect([staleRenderings, rendered.length]).toEqual([1, 1]);
  });

  it('is replaced by one with the time it was read, if the version is another', async () => {
    await begin();
    vi.advanceTimersByTime(600_000);
    commit();
    await underWay().fail();
    expect(await visit()).toBe('release 1 of version 0, current at 0 s');
  });

  it('is followed by the next that succeeds', async () => {
    await begin();
    vi.advanceTimersByTime(60_000);
    const release = releases.current();
    await underWay().fail();
    await release;
    vi.advanceTimersByTime(1_000);
    releases.current();
    await underWay().finish();
    expect(releases.current()).toBe('release 3 of version 0');
    expect(told).toEqual(['Error: away', 'recovered']);
  });

  it('is retried at once after a commit, since the database is there then', async () => {
    await begin();
    vi.advanceTimersByTime(60_000);
    const release = releases.current();
    await underWay().fail();
    await release;
    expect(await visit()).toBe('release 1 of version 0, current at 60 s');
    commit();
    expect(builds).toHaveLength(3);
    await underWay().finish();
    expect(releases.current()).toBe('release 3 of version 1');
  });

  it('is the empty one before the first succeeds', async () => {
    const release = releases.current();
    await underWay().fail();
    expect(await release).toBe(EMPTY);
    expect(await releases.current()).toBe(EMPTY);
    vi.advanceTimersByTime(1_000);
    expect(await releases.current()).toBe(EMPTY);
    await underWay().finish();
    expect(releases.current()).toBe('release 2 of version 0');
  });

  it('is the empty one after a second, if the first takes longer', async () => {
    const release = releases.current();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await release).toBe(EMPTY);
    expect(await releases.current()).toBe(EMPTY);
    await underWay().finish();
    expect(releases.current()).toBe('release 1 of version 0');
  });

  it('is not retried without pause ahead of its time', async () => {
    await begin();
    vi.advanceTimersByTime(50_000);
    releases.current();
    await underWay().fail();
    for (let visitor = 0; visitor < 100; visitor += 1)
      expect(releases.current()).toBe('release 1 of version 0');
    expect(builds).toHaveLength(2);
  });

  it('is no failure during closing', async () => {
    const release = releases.current();
    releases.close();
    await underWay().fail();
    await release;
    expect(told).toEqual([]);
  });
});
