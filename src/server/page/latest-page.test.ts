import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toldWatch } from '#tests/support/told-watch.ts';
import { type LatestPage, latestPage } from './latest-page.ts';

const SHELL = 'the shell';
const START = Date.parse('2026-11-13T21:30:00Z');

/** A page that is being made, which the test finishes when it likes. */
interface Making {
  finish: () => Promise<void>;
  /** Finishes the reading alone. */
  finishReading: () => Promise<void>;
  fail: () => Promise<void>;
}

interface Reading {
  name: string;
  at: number;
  rendering: Promise<void>;
}

/** Lets everything go on that waits for nothing any more. */
const settle = async () => {
  await vi.advanceTimersByTimeAsync(0);
};

let watch: ReturnType<typeof toldWatch>;
let makings: Making[];
let told: string[];
/** The stale pages that were rendered. */
let rendered: string[];
let pages: LatestPage<string>;

const now = () => Date.now();

/** A commit, which this process is told of at once. */
function commit(): void {
  watch.version += 1;
  for (const listener of watch.listeners) listener();
}

function read(): Promise<Reading> {
  const [seen, at] = [watch.version, now()];
  let rendered = () => {};
  const rendering = new Promise<void>((resolve) => {
    rendered = resolve;
  });
  return new Promise((resolve, reject) => {
    const finishReading = () => {
      resolve({ name: `page ${makings.length} of version ${seen}`, at, rendering });
      return settle();
    };
    makings.push({
      finishReading,
      finish: () => {
        rendered();
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
function underWay(): Making {
  const making = makings.at(-1);
  if (making === undefined) throw new Error('Nothing has been begun.');
  return making;
}

/** What a visitor gets, and whether that was there at once; what is not there yet is 'waits'. */
async function visit(): Promise<string> {
  const page = pages.page();
  if (typeof page === 'string') return page;
  return Promise.race([page, settle().then(() => 'waits')]);
}

/** The page that the first visitor gets, ready before the test goes on. */
async function begin(): Promise<void> {
  const page = pages.page();
  await underWay().finish();
  await page;
}

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  watch = toldWatch(now);
  watch.version = 0;
  makings = [];
  told = [];
  rendered = [];
  pages = latestPage({
    read,
    render: ({ name, rendering }) => rendering.then(() => name),
    renderStale: async ({ name }, currentAt) => {
      rendered.push(name);
      return `${name}, current at ${(currentAt - START) / 1_000} s`;
    },
    shell: SHELL,
    watch,
    now,
    onFailure: (error) => told.push(String(error)),
    onRecovery: () => told.push('recovered'),
  });
});

afterEach(() => {
  pages.close();
  vi.useRealTimers();
});

describe('the page that is kept', () => {
  it('is made once, however many ask', async () => {
    const all = Array.from({ length: 500 }, () => pages.page());
    await underWay().finish();
    expect(new Set(await Promise.all(all))).toEqual(new Set(['page 1 of version 0']));
    expect(pages.page()).toBe('page 1 of version 0');
    expect(makings).toHaveLength(1);
  });

  it('is at once followed by another when the market changes, for which visitors wait', async () => {
    await begin();
    vi.advanceTimersByTime(1_000);
    commit();
    expect(makings).toHaveLength(2);
    const visits = [pages.page(), pages.page()];
    expect(await visit()).toBe('waits');
    await underWay().finish();
    expect(await Promise.all(visits)).toEqual(['page 2 of version 1', 'page 2 of version 1']);
    expect(makings).toHaveLength(2);
  });

  it('is not one that was begun before the market changed', async () => {
    await begin();
    vi.advanceTimersByTime(1_000);
    commit();
    commit();
    const page = pages.page();
    expect(makings).toHaveLength(2);
    await underWay().finish();
    commit();
    expect(await visit()).toBe('waits');
    await underWay().finish();
    expect(await page).toBe('page 3 of version 2');
    expect(await visit()).toBe('waits');
    await underWay().finish();
    expect(await visit()).toBe('page 4 of version 3');
  });

  it('is made anew for one who comes after a minute, and ahead of time for those who keep coming', async () => {
    await begin();
    vi.advanceTimersByTime(49_999);
    expect(pages.page()).toBe('page 1 of version 0');
    expect(makings).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(pages.page()).toBe('page 1 of version 0');
    expect(makings).toHaveLength(2);
    await underWay().finish();
    vi.advanceTimersByTime(60_000);
    expect(await visit()).toBe('waits');
    await underWay().finish();
    expect(await visit()).toBe('page 3 of version 0');
  });

  it('is made anew when the clock was set back', async () => {
    await begin();
    vi.setSystemTime(now() - 3_600_000);
    expect(await visit()).toBe('waits');
  });

  it('is waited for also when the clock was set back while it is made', async () => {
    await begin();
    vi.advanceTimersByTime(1_000);
    commit();
    vi.setSystemTime(now() - 3_600_000);
    const page = pages.page();
    expect(await visit()).toBe('waits');
    await underWay().finish();
    await underWay().finish();
    expect(await page).toBe('page 3 of version 1');
  });

  it('is made anew after a second while nobody tells what is committed', async () => {
    watch.isTold = false;
    await begin();
    vi.advanceTimersByTime(999);
    expect(pages.page()).toBe('page 1 of version 0');
    vi.advanceTimersByTime(1);
    expect(await visit()).toBe('waits');
  });

  it('is made no more than once a second for changes nobody looks at', async () => {
    await begin();
    vi.advanceTimersByTime(1_000);
    for (let change = 0; change < 50; change += 1) {
      commit();
      await underWay().finish();
    }
    expect(makings).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1_000);
    await underWay().finish();
    expect(makings).toHaveLength(3);
    expect(pages.page()).toBe('page 3 of version 50');
  });

  it('is made no more once it is closed', async () => {
    await begin();
    vi.advanceTimersByTime(1_000);
    pages.close();
    commit();
    expect(watch.listeners.size).toBe(0);
    expect(makings).toHaveLength(1);
  });
});

describe('a page that cannot be had', () => {
  it('in time is the last one, after a second, and for those who come later at once', async () => {
    await begin();
    vi.advanceTimersByTime(1_000);
    commit();
    const page = pages.page();
    await vi.advanceTimersByTimeAsync(999);
    expect(await visit()).toBe('waits');
    await vi.advanceTimersByTimeAsync(1);
    expect(await page).toBe('page 1 of version 0, current at 0 s');
    expect(await visit()).toBe('page 1 of version 0, current at 0 s');
    expect(makings).toHaveLength(2);
    await underWay().finish();
    expect(pages.page()).toBe('page 2 of version 1');
  });

  it('in time because this machine is busy is waited for, once its rows are there', async () => {
    await begin();
    vi.advanceTimersByTime(1_000);
    commit();
    const page = pages.page();
    await underWay().finishReading();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await visit()).toBe('waits');
    await underWay().finish();
    expect(await page).toBe('page 2 of version 1');
  });

  it('at all is the last one at once, tried again once a second, and said once', async () => {
    await begin();
    vi.advanceTimersByTime(60_000);
    const page = pages.page();
    await underWay().fail();
    const stale = 'page 1 of version 0, current at 60 s';
    expect(await page).toBe(stale);
    for (let visitor = 0; visitor < 100; visitor += 1) expect(await visit()).toBe(stale);
    expect(makings).toHaveLength(2);
    vi.advanceTimersByTime(1_000);
    expect(await visit()).toBe(stale);
    expect(makings).toHaveLength(3);
    await underWay().fail();
    expect(told).toEqual(['Error: away']);
  });

  it('says when the database last confirmed it, and is rendered once while that stays the same', async () => {
    await begin();
    // Nobody comes for two hours, then the database goes away.
    vi.advanceTimersByTime(7_200_000);
    expect(watch.knownAt).toBe(START + 7_200_000);
    watch.isTold = false;
    vi.advanceTimersByTime(1_800_000);
    const page = pages.page();
    await underWay().fail();
    expect(await page).toBe('page 1 of version 0, current at 7200 s');
    const staleRenderings = rendered.length;
    for (let visitor = 0; visitor < 100; visitor += 1) await visit();
    expect([staleRenderings, rendered.length]).toEqual([1, 1]);
  });

  it('says when it was read, once the data are another version', async () => {
    await begin();
    vi.advanceTimersByTime(600_000);
    commit();
    await underWay().fail();
    expect(await visit()).toBe('page 1 of version 0, current at 0 s');
  });

  it('is there again with the next that succeeds', async () => {
    await begin();
    vi.advanceTimersByTime(60_000);
    const page = pages.page();
    await underWay().fail();
    await page;
    vi.advanceTimersByTime(1_000);
    pages.page();
    await underWay().finish();
    expect(pages.page()).toBe('page 3 of version 0');
    expect(told).toEqual(['Error: away', 'recovered']);
  });

  it('is tried at once when a change is told, since the database is there then', async () => {
    await begin();
    vi.advanceTimersByTime(60_000);
    const page = pages.page();
    await underWay().fail();
    await page;
    expect(await visit()).toBe('page 1 of version 0, current at 60 s');
    commit();
    expect(makings).toHaveLength(3);
    await underWay().finish();
    expect(pages.page()).toBe('page 3 of version 1');
  });

  it('and never could is the shell, until there is one', async () => {
    const page = pages.page();
    await underWay().fail();
    expect(await page).toBe(SHELL);
    expect(pages.page()).toBe(SHELL);
    vi.advanceTimersByTime(1_000);
    expect(pages.page()).toBe(SHELL);
    await underWay().finish();
    expect(pages.page()).toBe('page 2 of version 0');
  });

  it('because the first takes long is the shell after a second', async () => {
    const page = pages.page();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await page).toBe(SHELL);
    expect(pages.page()).toBe(SHELL);
    await underWay().finish();
    expect(pages.page()).toBe('page 1 of version 0');
  });

  it('is not tried without end ahead of its time', async () => {
    await begin();
    vi.advanceTimersByTime(50_000);
    pages.page();
    await underWay().fail();
    for (let visitor = 0; visitor < 100; visitor += 1) expect(pages.page()).toBe('page 1 of version 0');
    expect(makings).toHaveLength(2);
  });

  it('while it is being closed is no failure', async () => {
    const page = pages.page();
    pages.close();
    await underWay().fail();
    await page;
    expect(told).toEqual([]);
  });
});
