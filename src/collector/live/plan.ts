import type { SeriesName } from '#domain/market-history.ts';
import type { ProviderName } from '../providers/names.ts';
import type { Input, Provider } from '../providers/provider.ts';

/**
 * Methods to fetch inputs: the members' bars, a series over a range, a series with one request per day, a series with
 * its newest day only, or one-minute closes.
 */
type FetchMode = 'bars' | 'range' | 'day' | 'newest' | 'minutes';

interface PlanRow {
  readonly mode: FetchMode;
  /** Inputs of one request. */
  readonly inputs: readonly Input[];
  /** The providers of the inputs, in order of preference. */
  readonly providers: readonly ProviderName[];
  /** True if closes are adjusted for dividends, so that each dividend changes the whole history. */
  readonly adjusted?: true;
  /** True if values are published one session late. */
  readonly late?: true;
}

/**
 * The inputs of a live run and their providers. The volume of the S&P 500 is left out: the sum over its members is
 * better than any index feed's.
 */
const PLAN: readonly PlanRow[] = [
  { mode: 'bars', inputs: ['bars'], providers: ['alpaca', 'yahoo'] },
  { mode: 'range', inputs: ['sp500_close'], providers: ['yahoo', 'fred'] },
  { mode: 'range', inputs: ['nasdaq_composite_close'], providers: ['yahoo', 'fred'] },
  { mode: 'range', inputs: ['dow_jones_close'], providers: ['yahoo', 'fred'] },
  { mode: 'range', inputs: ['vix_close'], providers: ['cboe', 'yahoo'] },
  { mode: 'day', inputs: ['put_call_total', 'put_call_equity'], providers: ['cboe'] },
  { mode: 'range', inputs: ['high_yield_oas'], providers: ['fred'], late: true },
  { mode: 'range', inputs: ['investment_grade_oas'], providers: ['fred'], late: true },
  { mode: 'range', inputs: ['treasury_10y_yield'], providers: ['fred'], late: true },
  { mode: 'range', inputs: ['treasury_fund_close'], providers: ['alpaca', 'yahoo'], adjusted: true },
  {
    mode: 'newest',
    inputs: [
      'nyse_advances',
      'nyse_declines',
      'nyse_unchanged',
      'nyse_new_highs',
      'nyse_new_lows',
      'nyse_trin',
    ],
    providers: ['wsj'],
  },
  { mode: 'minutes', inputs: ['tick_proxy'], providers: ['alpaca'] },
];

/**
 * Inputs that are fetched together, and their configured providers, first choice first; empty if none is configured.
 */
export interface PlannedGroup extends Omit<PlanRow, 'providers'> {
  readonly providers: readonly Provider[];
}

/** The plan over the configured providers. */
export function planGroups(providers: readonly Provider[]): PlannedGroup[] {
  return PLAN.map((row) => ({
    ...row,
    providers: row.providers.flatMap((name) =>
      providers.filter(
        (each) => each.name === name && row.inputs.some((input) => each.inputs.includes(input)),
      ),
    ),
  }));
}

/** The providers of each input, first choice first; none if no provider is configured for it. */
export function planFor(providers: readonly Provider[]): { input: Input; providers: readonly Provider[] }[] {
  return planGroups(providers).flatMap((group) =>
    group.inputs.map((input) => ({
      input,
      providers: group.providers.filter(({ inputs }) => inputs.includes(input)),
    })),
  );
}

/** The series among `inputs` that a provider has. */
export function seriesOf(provider: Provider, inputs: readonly Input[]): SeriesName[] {
  return inputs.filter((input): input is SeriesName => input !== 'bars' && provider.inputs.includes(input));
}
