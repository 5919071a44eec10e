import { expect, it } from 'vitest';
import { PROVIDER_NAMES } from '#collector/providers/names.ts';
import { SERIES } from '#domain/market-history.ts';
import { fakeProvider } from '#tests/support/fake-providers.ts';
import { planFor } from './plan.ts';

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
