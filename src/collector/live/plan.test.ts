import { expect, it } from 'vitest';
import { SERIES } from '#domain/market-history.ts';
import { fakeProvider } from '#tests/support/fake-providers.ts';
import { PROVIDER_NAMES } from '../providers/provider.ts';
import { planFor, targetAt } from './plan.ts';

it.each([
  ['at a weekend', '2024-03-09T12:00:00Z', '2024-03-08', true, '2024-03-08'],
  ['before the bell', '2024-03-08T14:29:00Z', '2024-03-07', true, '2024-03-07'],
  [
    'less than twenty minutes after the opening bell',
    '2024-03-08T14:49:00Z',
    '2024-03-07',
    true,
    '2024-03-07',
  ],
  ['twenty minutes after the opening bell', '2024-03-08T14:50:00Z', '2024-03-08', false, '2024-03-07'],
  ['at the closing bell', '2024-03-08T21:00:00Z', '2024-03-08', false, '2024-03-07'],
  ['a second before half an hour after the bell', '2024-03-08T21:29:59Z', '2024-03-08', false, '2024-03-07'],
  ['half an hour after the bell', '2024-03-08T21:30:00Z', '2024-03-08', true, '2024-03-08'],
  ['on the first Monday of summer time', '2024-03-11T20:30:00Z', '2024-03-11', true, '2024-03-11'],
  ['on a half-day', '2024-11-29T18:30:00Z', '2024-11-29', true, '2024-11-29'],
  ['on a holiday', '2024-11-28T18:00:00Z', '2024-11-27', true, '2024-11-27'],
])('%s', (_, now, session, isSettled, newestSettled) => {
  expect(targetAt(Date.parse(now))).toEqual({ session, isSettled, newestSettled });
});

const namesOf = (plan: ReturnType<typeof planFor>) =>
  new Map(plan.map(({ input, providers }) => [input, providers.map(({ name }) => name)]));

it('lists the providers of each input by preference, in any configured order', () => {
  const plan = namesOf(planFor(PROVIDER_NAMES.toReversed().map((name) => fakeProvider(name))));
  expect(plan.get('bars')).toEqual(['alpaca', 'yahoo']);
  expect(plan.get('vix_close')).toEqual(['cboe', 'yahoo']);
  expect(plan.get('sp500_close')).toEqual(['yahoo', 'fred']);
  expect(plan.get('tick_proxy')).toEqual(['alpaca']);
});

it('contains every series once, except the volume of the index', () => {
  const plan = planFor([]).map(({ input }) => input);
  expect(plan.toSorted()).toEqual(['bars', ...SERIES].filter((name) => name !== 'sp500_volume').toSorted());
});

it('leaves out a provider that is not configured', () => {
  const plan = namesOf(planFor([fakeProvider('yahoo')]));
  expect(plan.get('bars')).toEqual(['yahoo']);
  expect(plan.get('high_yield_oas')).toEqual([]);
});
