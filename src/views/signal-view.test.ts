import { describe, expect, it } from 'vitest';
import { decideSignal } from '#domain/signal/decide-signal.ts';
import { SIGNAL_INPUTS, type SignalInput, type SignalInputs } from '#domain/signal/inputs.ts';
import { CLOSE, FULL, fullWith } from '#tests/support/dashboard-rows.ts';
import { WHOLE } from '#tests/support/weekly-signal.ts';
import { dashboardView } from './dashboard-view.ts';
import { currentInputs } from './signal-inputs.ts';
import { breakdownOf, signalHeadline, signalView } from './signal-view.ts';

const NOW = Date.parse('2026-11-13T21:30:00Z');
const THURSDAY = '2026-11-12T21:00:00.000Z';
const TWO_YEARS_BEFORE = '2024-11-13T21:00:00.000Z';
const OF_FRIDAY = 'all from the session of Fri 13 Nov 2026.';

const viewWith = (changes: Parameters<typeof fullWith>[0], now = NOW) => signalView(fullWith(changes), now);
const viewOf = (changes: Partial<typeof FULL>) => signalView({ ...FULL, ...changes }, NOW);
const noteOf = ({ rows }: ReturnType<typeof signalView>, name: string) =>
  rows.find(({ input }) => input === name)?.note;

it('counts the inputs without which the verdict would be another one', () => {
  const counts = [0, 20, 40, 60, 80, 100].map((index_value) => {
    const rows = fullWith({ current: { index_value } });
    const inputs = currentInputs(rows);
    const { verdict } = decideSignal(inputs);
    const others = SIGNAL_INPUTS.filter(
      (input) => decideSignal({ ...inputs, [input]: { session: null, parts: [] } }).verdict !== verdict,
    );
    const text =
      others.length === 0
        ? `Still ${verdict} if any one input is left out.`
        : `Another verdict if one input is left out: ${others.length} of 7.`;
    expect(signalView(rows, NOW).omittedText).toBe(text);
    return others.length;
  });
  expect(Math.max(...counts)).toBeGreaterThan(0);
  expect(Math.min(...counts)).toBe(0);
  expect(viewOf({ metrics: null, breadth: null }).omittedText).toBeNull();
});

describe('the signal card with old inputs', () => {
  it('names the session of an input that is older than the newest [R22]', () => {
    const signal = viewWith({ current: { created_at: THURSDAY } });
    expect(signal.rows[0]).toMatchObject({ note: 'as of Thu 12 Nov', score: { text: '62.4' } });
    expect(signal.rows[1]?.note).toBeNull();
    expect(signal.measuredText).toBe(
      `${signal.inputsText}, from the sessions of Thu 12 Nov 2026 to Fri 13 Nov 2026.`,
    );
    const older = viewWith({ indicators: { put_call_ratio: null, created_at: THURSDAY } });
    expect(noteOf(older, 'advancedIndicators')).toBe('as of Thu 12 Nov, without put/call');
  });

  it('counts Fear & Greed from two years ago as missing, with its parts', () => {
    const earlier_components = 'junk_bond_demand';
    const signal = viewWith({ current: { created_at: TWO_YEARS_BEFORE, earlier_components } });
    expect(signal.rows[0]).toMatchObject({
      ...{ note: 'too old: Wed 13 Nov 2024', score: { text: '—' }, weightText: '—', points: { text: '—' } },
    });
    expect(signal.rows[1]?.weightText).toBe('25%');
    expect(signal.range?.text).toMatch(/^With every input measured, the score could be anywhere from /);
    expect(signal.measuredText).toBe(`6 of 7 inputs, 2 incomplete, ${OF_FRIDAY}`);
    expect(signal.headline).not.toMatch(/greed/);
  });

  it.each(['sentiment', 'sectors'] as const)(
    'uses the session of the batch for an input with several rows: %s',
    (table) => {
      const view = viewOf({ [table]: FULL[table].map((row) => ({ ...row, created_at: TWO_YEARS_BEFORE })) });
      expect(view.inputsText).toBe('6 of 7 inputs, 1 incomplete');
      expect(noteOf(view, table)).toBe('too old: Wed 13 Nov 2024');
    },
  );

  it('has no verdict if more than 30 % of the weight is too old', () => {
    expect(viewWith({ metrics: { created_at: TWO_YEARS_BEFORE } })).toMatchObject({
      ...{ verdict: 'Insufficient data', inputsText: '5 of 7 inputs, 2 incomplete' },
    });
  });
});

describe('the signal card', () => {
  it('shows seven rows whose points add up to the score [S2.9] [S9.18] [R24]', () => {
    // Sentiment lacks one part of three, sectors one of eleven: their means are 57.5 and 51.8.
    const signal = signalView(FULL, NOW);
    expect(signal.verdict).toBe('HOLD');
    expect(signal.inputsText).toBe('7 of 7 inputs, 2 incomplete');
    expect(signal.measuredText).toBe(`7 of 7 inputs, 2 incomplete, ${OF_FRIDAY}`);
    expect(
      signal.rows.map(
        ({ name, score, weightText, points }) => `${name} ${score.text} × ${weightText} = ${points.text}`,
      ),
    ).toEqual([
      'Fear & Greed 62.4 × 20% = 12.480',
      'Overall Strength 58.1 × 20% = 11.620',
      'Market Exposure 54.0 × 10% = 5.400',
      'Market Sentiment 57.5 × 15% = 8.625',
      'Advanced Indicators 54.0 × 15% = 8.100',
      'Sector Strength 51.8 × 10% = 5.180',
      'Market Breadth 54.5 × 10% = 5.450',
    ]);
    // 12.480 + 11.620 + 5.400 + 8.625 + 8.100 + 5.180 + 5.450 = 56.855
    expect(signal.score.text).toBe('56.9');
    expect([noteOf(signal, 'sentiment'), noteOf(signal, 'sectors')]).toEqual([
      'without medium term',
      'without Energy',
    ]);
    expect(signal.range?.low).toBeLessThan(signal.score.value ?? 0);
    expect(signal.next).toMatchObject({
      ...{ title: 'Would turn to BUY', direction: 'up' },
      text: expect.stringMatching(/^if Fear & Greed alone went from 62\.4 to \d\d\.\d\.$/),
    });
    expect(signal.headline).toBe(
      'Lifted by greed among investors (+2.48 points) and high overall strength (+1.62); nothing holds it back.',
    );
  });

  it('names the missing inputs, and has no verdict below 70 % of the weight', () => {
    const without = viewOf({ metrics: null });
    expect(without).toMatchObject({
      ...{ inputsText: '5 of 7 inputs, 2 incomplete', verdict: 'Insufficient data', range: null, next: null },
      score: { value: null, text: '—' },
    });
    const weights = without.rows.map(({ weightText }) => weightText);
    expect(weights).toEqual(['20%', '20%', '10%', '15%', '15%', '10%', '10%']);
    const six = viewOf({ breadth: null });
    expect(six.inputsText).toBe('6 of 7 inputs, 2 incomplete');
    expect(six.rows[6]).toMatchObject({ weightText: '—', note: 'not measured', points: { text: '—' } });
    expect(six.rows[0]?.weightText).toBe('22.22%');
    expect(six.range?.text).toMatch(
      /^With every input measured, the score could be anywhere from \d\d\.\d to \d\d\.\d: HOLD or BUY\.$/,
    );
  });

  it('names two missing sectors of eleven [R6]', () => {
    const measured = FULL.sectors.filter(({ strength }) => strength !== null);
    const sectorNote = (sectors: typeof FULL.sectors) => noteOf(viewOf({ sectors }), 'sectors');
    expect([0, 1, 2, 11].map((count) => sectorNote(measured.slice(count)))).toEqual([
      ...['without Energy', 'without Communication Services and Energy', '8 of 11 sectors', 'not measured'],
    ]);
    // Nonstandard names do not show which sector is missing.
    expect(sectorNote(measured.map((row, at) => ({ ...row, sector: `Sector ${at}` })))).toBe(
      '10 of 11 sectors',
    );
    const most = viewOf({ sentiment: WHOLE.sentiment, sectors: measured });
    expect(most.inputsText).toBe('7 of 7 inputs, 1 incomplete');
    expect(most.range?.chipText).toMatch(/^Part of an input missing: /);
    const three = viewOf({ sectors: measured.slice(0, 3) });
    expect(three.inputsText).toBe('6 of 7 inputs, 1 incomplete');
    expect(three.range?.chipText).toMatch(/^Sector Strength missing: /);
    expect(three.rows[5]).toMatchObject({ note: 'only 3 of 11 sectors', score: { text: '—' } });
  });

  it('names the line and the distance to each other verdict', () => {
    const { score, distances } = signalView(FULL, NOW);
    const away = (line: number) => `${(line - (score.value ?? 0)).toFixed(1).replace('-', '')} away`;
    expect(distances.map(({ verdict, edgeText, text }) => [verdict, edgeText, text])).toEqual([
      ['SELL', '40.9', away(40.9)],
      ['BUY', '61.0', away(61)],
    ]);
  });

  it('widens the range for sectors without a row', () => {
    const whole = FULL.sectors.map((row) => ({ ...row, strength: 50 }));
    const spanOf = (sectors: typeof FULL.sectors) => {
      const { range } = viewOf({ sentiment: WHOLE.sentiment, sectors });
      return range === null ? null : Math.round((range.high - range.low) * 10) / 10;
    };
    expect(spanOf(whole)).toBeNull();
    // Two of the eleven sectors, which together weigh a tenth, are 1.82 points. Each end of the range is rounded.
    expect(spanOf(whole.slice(2))).toBe(1.9);
  });

  it('says that a change since last week compares other inputs', () => {
    expect(signalView(WHOLE, NOW).changeNote).toBe('');
    const weekAgo = { ...WHOLE.weekAgo, breadth: null };
    expect(signalView({ ...WHOLE, weekAgo }, NOW).changeNote).toBe(', with other inputs');
  });

  it('excludes a default sentiment card from the signal [R6]', () => {
    expect(viewOf({ sentiment: [] }).rows[3]).toMatchObject({ score: { value: null }, note: 'not measured' });
  });

  it.each([
    ['2026-11-13T21:30:00Z', 'live', 'without put/call until evening'],
    // Half an hour before and after midnight in New York.
    ['2026-11-14T04:30:00Z', 'live', 'without put/call until evening'],
    ['2026-11-14T05:30:00Z', 'live', 'without put/call'],
    ['2026-11-13T21:30:00Z', 'csv', 'without put/call'],
  ] as const)(
    'announces the pending put/call ratio of today, for live data only: %s %s',
    (now, source, note) => {
      const view = viewWith({ indicators: { put_call_ratio: null, source } }, Date.parse(now));
      expect(noteOf(view, 'advancedIndicators')).toBe(note);
    },
  );

  it('announces no put/call ratio that was also missing a week ago', () => {
    const rows = fullWith({ indicators: { put_call_ratio: null } });
    const indicators = FULL.weekAgo.indicators && { ...FULL.weekAgo.indicators, put_call_ratio: null };
    const view = signalView({ ...rows, weekAgo: { ...FULL.weekAgo, indicators } }, NOW);
    expect(noteOf(view, 'advancedIndicators')).toBe('without put/call');
  });

  it('names no single session if a part of Fear & Greed is from an earlier session', () => {
    expect(viewWith({ current: { earlier_components: 'junk_bond_demand' } }).measuredText).toBe(
      '7 of 7 inputs, 2 incomplete, from the session of Fri 13 Nov 2026, Fear & Greed in part from an earlier one.',
    );
  });
});

describe('the breakdown with any inputs missing', () => {
  /** Breakdowns of signals without the inputs of each possible set. */
  const decided = Array.from({ length: 2 ** SIGNAL_INPUTS.length }, (_, set) =>
    [0, 1, 2, 3, 4].map((round) => {
      const inputs = SIGNAL_INPUTS.map((input, at) => {
        const score = set & (1 << at) ? null : ((at * 37 + round * 53 + set * 11) % 1001) / 10;
        return [input, { session: null, parts: [{ name: input, score }] }];
      });
      const signal = decideSignal(Object.fromEntries(inputs) as SignalInputs);
      return { score: signal.score, rows: breakdownOf(signal, false) };
    }),
  )
    .flat()
    .filter(({ score }) => score !== null);
  const sum = (texts: readonly string[], decimals: number) =>
    texts.reduce((total, text) => total + Math.round(Number.parseFloat(text) * 10 ** decimals || 0), 0) /
    10 ** decimals;

  it('has weights that visibly add up to 100 %, the same for inputs of the same weight [R24]', () => {
    expect(decided.length).toBeGreaterThan(50);
    for (const { rows } of decided) {
      const weights = rows.map(({ weightText }) => weightText);
      expect(sum(weights, 6)).toBe(100);
      const tenths = rows.filter(({ input }) => ['marketExposure', 'sectors', 'breadth'].includes(input));
      const shown = tenths.map(({ weightText }) => weightText).filter((text) => text !== '—');
      expect(new Set(shown).size).toBeLessThan(2);
    }
  });

  it('has points that visibly add up to the score [R24]', () => {
    for (const { score, rows } of decided) {
      const points = rows.map(({ points }) => points.text);
      expect(Math.round(Math.round(sum(points, 3) * 1000) / 100) / 10).toBe(score);
    }
  });
});

function headlineOf(scores: Partial<Record<SignalInput, number | null>>, rest: number | null = 50): string {
  const inputs = SIGNAL_INPUTS.map((input) => [
    input,
    { session: null, parts: [{ name: input, score: input in scores ? (scores[input] ?? null) : rest }] },
  ]);
  const signal = decideSignal(Object.fromEntries(inputs) as SignalInputs);
  return signalHeadline(signal, breakdownOf(signal, false));
}

const MIXED = {
  fearGreed: 30,
  marketExposure: 20,
  sectors: 44,
  overallStrength: 70,
  breadth: 85,
  sentiment: 60,
};
const NEAR = /^Every input of the score is near the middle\.$/;

it.each<[Parameters<typeof headlineOf>[0], string | RegExp]>([
  [MIXED, 'Held back by fear among investors (−4.00 points), lifted by high overall strength (+4.00).'],
  // No input pulls the other way.
  [{ sentiment: 80 }, 'Lifted by very bullish sentiment (+4.50 points); nothing holds it back.'],
  [{ advancedIndicators: 10 }, 'Held back by the advanced indicators (−6.00 points); nothing lifts it.'],
  [{ sentiment: 80, breadth: 49 }, /^Lifted by very bullish sentiment \(\+4\.50 points\)\.$/],
  [{ sentiment: 80, breadth: 49.99 }, /; nothing holds it back\.$/],
  [{}, NEAR],
  // The shown number decides.
  [{ fearGreed: 54.94 }, NEAR],
  [{ fearGreed: 54.95 }, /^Lifted by greed/],
  [{ fearGreed: 44.95 }, NEAR],
  [{ fearGreed: 44.94 }, /^Held back by fear/],
])('names the two inputs that move the score most, with their points: %j', (scores, sentence) => {
  expect(headlineOf(scores)).toMatch(sentence);
});

it('has the word that the page shows beside the same number [R28]', () => {
  const rows = fullWith({ metrics: { overall_strength: 38.6, market_exposure: 30 } });
  const { signal, metrics: cards } = dashboardView(rows, Date.parse('2026-11-13T21:30:00Z'));
  expect(cards?.cards.map(({ label }) => label)).toEqual(['Low', 'Moderate']);
  expect(signal.headline).toMatch(/held back by moderate overall strength \(−2\.28\)\.$/);
  expect(headlineOf({ fearGreed: 20, sentiment: 40 })).toMatch(
    /^Held back by extreme fear among investors \(−6\.00 points\) and bearish sentiment \(−1\.50\);/,
  );
});

it('states the weight that decides if there is no verdict: an input with missing parts counts in part', () => {
  const { headline } = dashboardView({ ...FULL, metrics: null }, Date.parse(CLOSE)).signal;
  // Without both metrics, a third of the sentiment and a sector of eleven: 100 − 30 − 5 − 10 / 11.
  const reason = (share: string) =>
    `Too little of the market has been measured: ${share} of the weight. A signal needs 70%.`;
  expect([headline, headlineOf({}, null)]).toEqual([reason('64.1%'), reason('0%')]);
});
