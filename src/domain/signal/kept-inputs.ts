import type { SeriesName } from '../market-history.ts';
import { ENOUGH_PARTS } from './decide-signal.ts';
import { SIGNAL_INPUTS, type SignalInput } from './inputs.ts';

/** The number of components that Fear & Greed needs. */
const ENOUGH_COMPONENTS = 5;

/** The data of a public page: the inputs that its formulas may use, and those whose numbers it may show. */
type UsableData = Readonly<Record<'uses' | 'shows', (input: 'bars' | SeriesName) => boolean>>;

const count = (parts: readonly boolean[]) => parts.filter(Boolean).length;

/** The inputs of the signal that can have a score from usable inputs. A test compares them with the formulas. */
export function keptInputs({ uses, shows }: UsableData): SignalInput[] {
  const bars = uses('bars');
  const index = uses('sp500_close');
  const exchange = uses('nyse_advances') && uses('nyse_declines') && uses('nyse_unchanged');
  const components = [
    index,
    bars,
    bars,
    uses('put_call_total') || uses('put_call_equity'),
    uses('high_yield_oas') && uses('investment_grade_oas'),
    uses('vix_close'),
    index && (uses('treasury_fund_close') || uses('treasury_10y_yield')),
  ];
  const indicators = [shows('vix_close'), shows('put_call_total'), bars];
  const kept: Readonly<Record<SignalInput, boolean>> = {
    fearGreed: count(components) >= ENOUGH_COMPONENTS,
    overallStrength: bars && index,
    marketExposure: bars,
    sentiment: index,
    advancedIndicators: count(indicators) >= ENOUGH_PARTS * indicators.length,
    sectors: bars && index,
    breadth: exchange ? shows('nyse_advances') : bars,
  };
  return SIGNAL_INPUTS.filter((input) => kept[input]);
}
