import { isoWeekOf } from '#domain/calendar/iso-week.ts';
import { marketDay } from '#domain/calendar/sessions.ts';
import { FEAR_GREED_COMPONENTS } from '#domain/fear-greed/components.ts';
import { HORIZONS } from '#domain/record/grade-weeks.ts';
import type { FearGreedRow } from '#schema/columns.ts';
import type { RecordRows } from '#schema/record-rows.ts';
import { newestGrades } from '../record-view.ts';

type Cell = string | number | null;

/** A table without prices, because the series of the providers may not be republished. */
export interface BulkTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Every week on record with its newest grades; a grade that is pending or void has no change. */
export function signalsTable({ weeks, grades }: RecordRows): BulkTable {
  const newest = newestGrades(grades);
  return {
    columns: [
      ...['week', 'decided_at', 'session', 'status', 'reason', 'verdict', 'score', 'range_low', 'range_high'],
      ...HORIZONS.flatMap((horizon) => [`change_${horizon}w_percent`, `grade_${horizon}w`]),
      ...['source', 'formula_version'],
    ],
    rows: weeks.map((week) => [
      ...[isoWeekOf(week.week), week.decided_at, week.session, week.status, week.reason],
      ...[week.verdict, week.score, week.range_low, week.range_high],
      ...HORIZONS.flatMap((horizon) => {
        const grade = newest.get(`${week.week} ${horizon}`);
        return [grade?.change_percent ?? null, grade?.status ?? 'pending'];
      }),
      ...[week.source, week.formula_version],
    ]),
  };
}

/** The newest Fear & Greed value of each session with its components. Expects ascending rows. */
export function fearGreedTable(history: readonly FearGreedRow[]): BulkTable {
  const bySession = new Map(history.map((row) => [marketDay(Date.parse(row.created_at)), row]));
  return {
    columns: ['session', 'index_value', ...FEAR_GREED_COMPONENTS, 'source', 'created_at'],
    rows: [...bySession].map(([session, row]) => [
      session,
      row.index_value,
      ...FEAR_GREED_COMPONENTS.map((component) => row[component]),
      row.source,
      row.created_at,
    ]),
  };
}

/** Matches a text that a spreadsheet would run as a formula, also after a `'`, so that an import can remove exactly one. */
export const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;
/** Characters that must be in quotes: those of CSV, and the separators of some programs. */
const TO_QUOTE = /[",;\s]/;

/** Returns a value as a CSV cell. A text that a spreadsheet would run as a formula gets a `'` before it. */
function cell(value: Cell | boolean): string {
  if (typeof value === 'number') return String(value);
  const text = String(value ?? '');
  const escaped = FORMULA.test(text) ? `'${text}` : text;
  return TO_QUOTE.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped;
}

/** Returns a line of CSV (RFC 4180). */
export const csvLine = (cells: readonly (Cell | boolean)[]) => `${cells.map(cell).join(',')}\r\n`;

/** Converts a table to CSV (RFC 4180) with a header line. An unknown value is an empty cell. */
export function toCsv({ columns, rows }: BulkTable): string {
  return [columns, ...rows].map(csvLine).join('');
}
