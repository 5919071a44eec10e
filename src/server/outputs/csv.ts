import type { BulkTable } from '#views/outputs/bulk-tables.ts';

/** Matches a text that a spreadsheet would run as a formula. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
/** Characters that must be in quotes: those of CSV, and the separators of some programs. */
const TO_QUOTE = /[",;\s]/;

/** Returns a value as a CSV cell. A text that a spreadsheet would run as a formula gets a `'` before it. */
function cell(value: string | number | null): string {
  if (typeof value === 'number') return String(value);
  const text = value ?? '';
  const escaped = FORMULA.test(text) ? `'${text}` : text;
  return TO_QUOTE.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped;
}

/** Converts a table to CSV (RFC 4180) with a header line. An unknown value is an empty cell. */
export function toCsv({ columns, rows }: BulkTable): string {
  return [columns, ...rows].map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}
