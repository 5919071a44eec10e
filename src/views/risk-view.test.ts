import { describe, expect, it } from 'vitest';
import { formatDay, parseDay } from '#domain/calendar/days.ts';
import { sessionClose } from '#domain/calendar/sessions.ts';
import { type JudgedWeek, judgeWeeks } from '#domain/risk/judgement.ts';
import type { RecordedOutlook, RecordedWeek } from '#domain/risk/recorded.ts';
import { type RiskRecord, riskLine, riskView } from './risk-view.ts';

const NOW = sessionClose('2026-11-23');
const range = (low: number, middle: number, high: number) => ({ low, middle, high });
const OUTLOOK: RecordedOutlook = {
  ...{ session: '2026-11-20', close: 6_800, vix: 18.5, inputs: 'vix and closes', weeks: 1_899 },
  ...{ volatility: range(0.006, 0.009, 0.013), usual: range(0.005, 0.0085, 0.016) },
  vixAlone: range(0.006, 0.009, 0.013),
  ...{ band: '15 to 25', weeksAlike: 946, worstLine: -0.0685, fall: 0.168, usualFall: 0.154 },
  ...{ half: [0.013, 0.018, 0.024, 0.028], most: [0.024, 0.034, 0.041, 0.048] },
};
const BAND = {
  ...{ band: '15 to 25' as const, weeks: 946, spells: 168, median: -0.018, tenth: -0.0693, worst: -0.309 },
  ...{ worstSession: '2020-02-21', fall: 0.168, fallInterval: { low: 0.133, high: 0.205 } },
};
const current = (more: Partial<RecordedOutlook> = {}): RecordedWeek => ({
  ...{ origin: 'live', outcome: null },
  outlook: { ...OUTLOOK, bands: [BAND], since: '1990-01-02', past: null, ...more },
});
/** Graded weeks up to 16 Oct 2026, whose volatility was the given one. */
const graded = (count: number, volatility: number) =>
  Array.from({ length: count }, (_, at): RecordedWeek & Pick<JudgedWeek, 'outcome'> => ({
    origin: 'live',
    outlook: { ...OUTLOOK, session: formatDay(parseDay('2026-10-16') - 7 * (count - 1 - at)) },
    outcome: { volatility, worst: -0.02, changes: [0, 0, 0, 0.01] },
  }));
const EMPTY: RiskRecord = {
  ...{ source: 'live', weeks: [], closesSince: '1990-01-02', isForbidden: false, stress: null },
};
const view = (weeks: readonly RecordedWeek[], now = NOW) => riskView({ ...EMPTY, weeks }, now);

it.each([
  ['2026-11-18', 'was −1.90 on Wed 18 Nov 2026. 0 is its average'],
  ['2026-11-02', 'null'],
])('shows the Financial Stress Index of %s as context if it is recent', (session, words) => {
  expect(String(riskView({ ...EMPTY, stress: { session, value: -1.9 } }, NOW).stressText)).toContain(words);
});

it('the line of the dashboard is that of the newest outlook until its 20 sessions are over', () => {
  const end = sessionClose('2026-12-21');
  expect([riskLine(OUTLOOK, end - 1), riskLine(OUTLOOK, end + 4 * 3_600_000), riskLine(null, NOW)]).toEqual([
    '4-week S&P 500 outlook of 20 Nov: volatility 2.0% a week (80% range 1.3%\u00a0to\u00a02.9%).',
    ...[null, null],
  ]);
});

describe('the page of the risk outlook', () => {
  it('begins with a sentence about the volatility, and one about the weeks like it', () => {
    const { lead, current: shown, bands, notices } = view([current()]);
    expect(lead).toEqual([
      'Over the four weeks from Fri 20 Nov 2026, the volatility of the S&P 500 is expected at 2.0% a week, and with a chance of 80% from 1.3% to 2.9%.',
      'In the weeks like this one (VIX 15 to 25; 946 weeks since 1990, in 168 spells of consecutive weeks), one in ten fell below −6.9% at a close within four weeks; the lowest was −30.9% (Feb\u00a02020).',
    ]);
    expect(notices).toEqual([]);
    expect(shown?.dates.map(({ text }) => text)).toEqual(['20 Nov', '7 Dec', '21 Dec']);
    expect(shown?.asOfText).toBe('From the close of Fri 20 Nov 2026, S&P 500 6,800.00, VIX 18.50.');
    expect(bands?.rows).toMatchObject([{ isCurrent: true, fallText: '17% (13%\u00a0to\u00a021%)' }]);
  });

  it.each<[Partial<RiskRecord>, boolean, string]>([
    [{ closesSince: null }, false, 'There is no outlook: no close of the S&P 500 is stored.'],
    [
      { closesSince: '2020-01-02' },
      false,
      'There is no outlook yet. It needs ten years of closes of the S&P 500; the stored ones begin on Thu 2 Jan 2020.',
    ],
    [{}, false, 'There is no outlook yet. The first one is recorded after the last close of the week.'],
    [
      {},
      true,
      'There is no outlook, because this page shows sessions with a delay, and an outlook would show their closes earlier.',
    ],
    [
      { source: 'replay' },
      false,
      'There is no outlook, because the sessions of this demonstration are moved, and none follow.',
    ],
    [
      { isForbidden: true },
      false,
      'There is no outlook, because this page may not show the numbers of the S&P 500 and the VIX.',
    ],
    [{ weeks: [current({ session: '2026-10-16' })] }, false, 'There is no current outlook.'],
  ])('says why there is no outlook: %j, delayed %s', (record, isDelayed, reason) => {
    const { lead, current: shown } = riskView({ ...EMPTY, ...record }, NOW, isDelayed);
    expect([lead, shown]).toEqual([[reason], null]);
  });

  it('names a week without an outlook, and a missing VIX', () => {
    expect(view([current()], sessionClose('2026-11-30')).notices).toEqual([
      'No outlook was recorded after the close of Fri 27 Nov 2026.',
    ]);
    const [notice] = view([current({ inputs: 'closes', vix: null, vixAlone: null, band: null })]).notices;
    expect(notice).toContain('The VIX is missing');
  });

  it('says first if it does worse than the mean of the past', () => {
    expect([0.0085, 0.009].map((volatility) => view([...graded(60, volatility), current()]).lead[0])).toEqual(
      [
        'So far this outlook does worse than the plain mean of the past, over 60 weeks on record.',
        expect.stringContaining('the volatility of the S&P 500'),
      ],
    );
  });

  it('shows a skill only after enough weeks, and names the number needed', () => {
    const [few] = view(graded(10, 0.009)).judged;
    expect(few?.lead).toContain('too few weeks to say, of the 52 needed');
    expect(few?.skills).toEqual([]);
    expect(few?.reliabilityText).toMatch(/^The line/);
    const [many] = view(graded(60, 0.009)).judged;
    expect(many?.skills).toEqual([
      expect.stringMatching(/^Skill against the mean of the past: /),
      expect.stringMatching(/^Skill against the VIX alone: /),
      // Each week of this record states the usual chance.
      'The chance of a 5% fall was stated no better than by the mean of the past.',
    ]);
    expect(many?.reliabilityText).toMatch(
      /^A skill of 30% means .*; below 0%, its error was larger\. The line/,
    );
    expect(many?.technicalRows.map(([name]) => name)).toEqual([
      ...['QLIKE of variance', 'Pinball loss at 10%', 'Pinball loss at 50%', 'Pinball loss at 90%'],
    ]);
    expect(many?.rows[0]).toEqual(['Weeks inside the 80% range', '100.0%', '100.0%', '100.0%']);
    expect(many?.reliability.map(({ stated, isFall }) => `${stated.toFixed(3)} ${isFall}`)).toEqual([
      ...['0.100 false', '0.500 false', '0.900 false', '0.168 true'],
    ]);
  });

  it.each([
    [0.00597, -0.00001, '1.33%, below', '0.00%'],
    [0.006, -0.0686, '1.34%', '−6.86%, below'],
    [0.0131, -0.0685, '2.93%, above', '−6.85%'],
  ])('marks the values outside the stated range: %s, %s', (volatility, worst, outcomeText, worstText) => {
    const week = { ...current(), outcome: { volatility, worst, changes: [0, 0, 0, 0] } };
    const stated = { statedText: '1.34% to 2.91%', lineText: '−6.85%' };
    expect(view([week]).weeks).toMatchObject([{ ...stated, outcomeText, worstText }]);
  });

  it('lists void and pending weeks without a number', () => {
    const isVoid = { ...current(), outcome: { voidReason: 'No close.' } };
    expect(view([isVoid, current()]).weeks).toMatchObject([
      { outcomeText: 'pending', worstText: 'pending' },
      { outcomeText: 'void', worstText: '—' },
    ]);
  });

  it('states since when the rule was computed later, and if that includes weeks on record', () => {
    const past = judgeWeeks(graded(120, 0.009));
    const [, later] = view([...graded(60, 0.009), current({ past })]).judged;
    expect(later?.title).toBe('The same rule since 2024');
    expect(later?.lead).toMatch(/from its own past only\. They include weeks on record\. The rule was made/);
    const [alone] = view([current({ past })]).judged;
    expect(alone?.lead).toMatch(/from its own past only\. The rule was made/);
  });
});
