import { lastSessions } from '#domain/calendar/sessions.ts';
import type { RecordRows } from '#schema/record-rows.ts';
import { qualityView } from '#views/quality-view.ts';
import { recordView } from '#views/record-view.ts';
import { recordWeekView } from '#views/record-week-view.ts';
import { qualityHtml } from '#web/documents/quality-page.tsx';
import { recordHtml, recordWeekHtml } from '#web/documents/record-page.tsx';
import { recordOf } from '../record-rows.ts';

const place = { productName: 'Barometer', home: './', imageAddress: 'https://barometer.example/record.png' };
/** Weeks of live data, with withheld weeks, void grades and corrected grades. */
const rows = recordOf(60);
const withheld = rows.weeks.find(({ status }) => status === 'withheld')?.week ?? '';
const week = recordWeekView(rows, withheld);

/** An event of the evening before `day`. */
const event = (day: string, kind: string, session: string | null, more: Record<string, string> = {}) => ({
  ...{ at: Date.parse(`${day}T01:00:00Z`), kind, session },
  ...{ input: null, provider: null, detail: null, before: null, after: null, ...more },
});
const quality = qualityView({
  sessions: lastSessions('2026-11-20', 90),
  unchecked: lastSessions('2026-08-20', 20),
  source: 'live',
  events: [
    event('2026-11-20', 'late', '2026-11-19', { input: 'vix_close', detail: 'newest value of 2026-11-18' }),
    event('2026-11-14', 'completed', '2026-11-12', { input: 'vix_close', provider: 'cboe' }),
    event('2026-11-13', 'late', '2026-11-12', { input: 'vix_close', detail: 'newest value of 2026-11-11' }),
    event('2026-11-06', 'corrected', '2026-11-05', {
      input: 'market_metrics market_exposure',
      before: '50',
      after: '33.333333333333336',
    }),
    event('2026-10-29', 'refused', '2026-10-28', { provider: 'wsj', detail: 'The response has no date.' }),
    event('2026-10-28', 'missed run', null, { detail: '3 scheduled runs' }),
  ],
  damaged: ['2026-11-12'],
});

const recordPage = (record: RecordRows) => recordHtml(recordView(record), place);
/** A record whose closes are all equal. */
const flat = {
  ...rows,
  grades: rows.grades.map((grade) => ({ ...grade, entry_close: 3000, exit_close: 3000, change_percent: 0 })),
};
/** The S&P 500 is ten times as high from this session on. */
const LEAP = '2020-12-01';
const raised = (session: string | null, close: number | null) =>
  session === null || close === null || session < LEAP ? close : 10 * close;
const leap = {
  ...rows,
  grades: rows.grades.map((grade) => {
    const entry = raised(grade.entry_session, grade.entry_close);
    const exit = raised(grade.exit_session, grade.exit_close);
    const change = entry === null || exit === null ? grade.change_percent : 100 * (exit / entry - 1);
    return { ...grade, entry_close: entry, exit_close: exit, change_percent: change };
  }),
};

export const pages = {
  'record-live': recordPage(rows),
  'record-one-week': recordPage(recordOf(1)),
  'record-three-weeks': recordPage(recordOf(3)),
  'record-25-years': recordPage(recordOf(1_300)),
  'record-flat': recordPage(flat),
  'record-leap': recordPage(leap),
  'record-week-withheld': week === null ? '' : recordWeekHtml(week, place),
  'quality-events': qualityHtml(quality, 'Barometer'),
};
