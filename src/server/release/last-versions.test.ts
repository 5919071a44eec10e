import { expect, it } from 'vitest';
import { fakeMarketWatch } from '#tests/support/fake-market-watch.ts';
import { toResource } from '../http/resource.ts';
import { TooManyWaiting } from './in-turn.ts';
import { createLastVersions } from './last-versions.ts';

function setUp({ most = 2, waitMs = 300_000 } = {}) {
  const time = { now: 1_000_000 };
  const logged: string[] = [];
  const write = (event: string, fields = {}) => logged.push(JSON.stringify({ event, ...fields }));
  const watch = fakeMarketWatch(() => time.now);
  const serve = createLastVersions({
    ...{ watch, most, waitMs, now: () => time.now, log: { info: write, warn: write, error: write } },
  });
  return { time, watch, serve, logged };
}

const resourceOf = (text: string, status = 200) => toResource(Buffer.from(text), {}, { status });
const failing = (error = new Error('away')) => Promise.reject(error);

it('a last version replaces a build that takes too long', async () => {
  const { time, watch, serve } = setUp({ waitMs: 0 });
  const first = resourceOf('first');
  await serve('/on', async () => first);
  watch.isWatching = false;
  time.now += 5_000;
  expect(await serve('/on', () => new Promise(() => {}))).toEqual({ resource: first, age: 5 });
});

it('a last version counts as current up to the last check of the data', async () => {
  const { time, watch, serve } = setUp();
  await serve('/on', async () => resourceOf('first'));
  time.now += 60_000;
  expect((await serve('/on', () => failing())).age).toBeNull();
  expect(watch.knownAt).toBe(time.now);
  watch.isWatching = false;
  time.now += 7_000;
  expect((await serve('/on', () => failing())).age).toBe(7);
});

it('a build is shared by concurrent requests of the same version of the data', async () => {
  const { watch, serve } = setUp();
  let builds = 0;
  const build = async () => resourceOf(`${++builds}`);
  await Promise.all([serve('/on', build), serve('/on', build)]);
  expect(builds).toBe(1);
  const before = serve('/other', build);
  watch.version += 1;
  await Promise.all([before, serve('/other', build)]);
  expect(builds).toBe(3);
});

it('stores only existing resources, and not more than the maximum', async () => {
  const { serve } = setUp({ most: 2 });
  let builds = 0;
  const build = (status: number) => async () => resourceOf(`${++builds}`, status);
  for (let times = 0; times < 2; times += 1) await serve('/none', build(404));
  expect(builds).toBe(2);
  for (const key of ['/a', '/b', '/c', '/a']) await serve(key, build(200));
  expect(builds).toBe(6);
});

it('logs a failure for which a last version is served, except a refused turn', async () => {
  const { watch, serve, logged } = setUp();
  await serve('/on', async () => resourceOf('first'));
  watch.isWatching = false;
  await serve('/on', () => failing(new TooManyWaiting()));
  expect(logged).toEqual([]);
  await serve('/on', () => failing());
  expect(logged).toEqual(['{"event":"document failed","path":"/on","reason":"away"}']);
});
