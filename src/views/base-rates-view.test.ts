import { describe, expect, it } from 'vitest';
import type { HorizonRates } from '#domain/record/base-rates.ts';
import { baseRatesView } from './base-rates-view.ts';

const AFTER = { count: 40, separate: 12, spells: 9, figures: null, worst: null };

/** Two bands after 4 weeks, each with an interval without zero. */
const ratesOf = (...standOut: boolean[]): HorizonRates[] => [
  {
    horizon: 4,
    all: AFTER,
    bands: (['Fear', 'Greed'] as const).map((label, at) => ({
      ...AFTER,
      label,
      difference: { value: 1, low: 0.5, high: 1.5, standsOut: standOut[at] ?? false },
    })),
  },
];

describe('the lead of the base rates', () => {
  it('names no band that is within the bound for the table, even if its interval has no zero', () => {
    expect(baseRatesView(ratesOf(false, false)).lead).toMatch(
      /^No band of Fear & Greed stands out: of 2 differences .* none is beyond the bound for the whole table\. /,
    );
  });

  it('names each band that stands out, with its horizon', () => {
    expect(baseRatesView(ratesOf(false, true)).lead).toMatch(/, 1 is beyond .* \(Greed over 4 weeks\)\. /);
    expect(baseRatesView(ratesOf(true, true)).lead).toContain(
      '2 are beyond the bound for the whole table (Fear over 4 weeks, Greed over 4 weeks).',
    );
  });

  it('says that the history is too short without any difference', () => {
    expect(baseRatesView([]).lead).toMatch(/^The stored history is too short/);
  });
});

it('shows weeks, windows apart and spells of each band', () => {
  const [row] = baseRatesView(ratesOf()).horizons[0]?.rows ?? [];
  expect(row).toMatchObject({ weeksText: '40 weeks', apartText: '12 apart', spellsText: '9 spells' });
});
