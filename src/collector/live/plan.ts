import type { SeriesName } from '#domain/market-history.ts';
import type { Input, Provider, ProviderName } from '../providers/provider.ts';

/**
 * How an input is asked for: bars of the members, a series over a span, a series a day a request, a series of
 * which only the newest day is to be had, or one-minute closes.
 */
export type Asking = 'bars' | 'span' | 'day' | 'newest' | 'minutes';

interface PlanRow {
  readonly asking: Asking;
  /** What one request gives together. */
  readonly inputs: readonly Input[];
  /** First choice first. */
  readonly providers: readonly ProviderName[];
  /** Adjusted for dividends, so that its whole past changes with each. */
  readonly adjusted?: true;
  /** A day's value comes a session late. */
  readonly late?: true;
}

/**
 * What a live run needs and who can give it. The volume of the S&P 500 is left out: the sum over its members
 * is a better one than any index feed's.
 */
const PLAN: readonly PlanRow[] = [
  { asking: 'bars', inputs: ['bars'], providers: ['alpaca', 'yahoo'] },
  { asking: 'span', inputs: ['sp500_close'], providers: ['yahoo', 'fred'] },
  { asking: 'span', inputs: ['nasdaq_composite_close'], providers: ['yahoo', 'fred'] },
  { asking: 'span', inputs: ['dow_jones_close'], providers: ['yahoo', 'fred'] },
  { asking: 'span', inputs: ['vix_close'], providers: ['cboe', 'yahoo'] },
  { asking: 'day', inputs: ['put_call_total', 'put_call_equity'], providers: ['cboe'] },
  { asking: 'span', inputs: ['high_yield_oas'], providers: ['fred'], late: true },
  { asking: 'span', inputs: ['investment_grade_oas'], providers: ['fred'], late: true },
  { asking: 'span', inputs: ['treasury_10y_yield'], providers: ['fred'], late: true },
  { asking: 'span', inputs: ['treasury_fund_close'], providers: ['alpaca', 'yahoo'], adjusted: true },
  {
    asking: 'newest',
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
  { asking: 'minutes', inputs: ['tick_proxy'], providers: ['alpaca'] },
];

/** Inputs that are asked for together, and those who can give them, first choice first; possibly nobody. */
export interface PlannedGroup {
  readonly asking: Asking;
  readonly inputs: readonly Input[];
  readonly providers: readonly Provider[];
  readonly adjusted: boolean;
  readonly late: boolean;
}

/** The plan with the providers there are. */
export function planGroups(providers: readonly Provider[]): PlannedGroup[] {
  return PLAN.map(({ asking, inputs, providers: names, adjusted = false, late = false }) => ({
    asking,
    inputs,
    adjusted,
    late,
    providers: names.flatMap((name) =>
      providers.filter((each) => each.name === name && inputs.some((input) => each.gives.includes(input))),
    ),
  }));
}

/** Who gives each input, first choice first; nobody where no provider is set up for it. */
export function planFor(providers: readonly Provider[]): { input: Input; providers: readonly Provider[] }[] {
  return planGroups(providers).flatMap((group) =>
    group.inputs.map((input) => ({
      input,
      providers: group.providers.filter(({ gives }) => gives.includes(input)),
    })),
  );
}

/** The series among a group's inputs that a provider gives. */
export function seriesGivenBy(provider: Provider, inputs: readonly Input[]): SeriesName[] {
  return inputs.filter((input): input is SeriesName => input !== 'bars' && provider.gives.includes(input));
}
