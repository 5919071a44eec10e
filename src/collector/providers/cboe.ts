import type { SeriesName } from '#domain/market-history.ts';
import { RATIOS, readPutCall } from './cboe-put-call.ts';
import { PROVIDER_LABELS } from './names.ts';
import { createSeriesValues } from './plausible-series.ts';
import type { Provider, SeriesRequest } from './provider.ts';
import { ProviderError, type ProviderFailure } from './provider-error.ts';
import { readParts, seriesIn } from './read-parts.ts';

const LABEL = PROVIDER_LABELS.cboe;
const VIX_FILE = 'VIX_History.csv';
const VIX_COLUMNS = ['DATE', 'HIGH', 'LOW', 'CLOSE'] as const;

/** Cboe's files of closed sessions: one file with the VIX since 1990, and one file per day with put/call ratios. */
export function createCboe({ baseUrl }: { baseUrl: string }): Provider {
  const base = baseUrl.replace(/\/$/, '');
  return {
    name: 'cboe',
    label: LABEL,
    gives: ['vix_close', ...(Object.keys(RATIOS) as (keyof typeof RATIOS)[])],
    givesOpenSession: [],
    async readSeries(request) {
      const reading = new Map<SeriesName, ReadonlyMap<string, number>>();
      const ratios = seriesIn(request.series, RATIOS);
      const parts = [
        ...(request.series.includes('vix_close') ? ['vix_close' as const] : []),
        ...(ratios.length > 0 ? [ratios] : []),
      ];
      await readParts(parts, request.problems, async (part) => {
        if (part === 'vix_close') reading.set(part, await readVix(base, request));
        else for (const [name, values] of await readPutCall(base, part, request)) reading.set(name, values);
      });
      return reading;
    },
  };
}

/** The VIX closes of the range. Throws ProviderError if the header is unknown or no row follows. */
async function readVix(base: string, request: SeriesRequest): Promise<ReadonlyMap<string, number>> {
  const { from, to, http, problems } = request;
  const url = new URL(`${base}/api/global/us_indices/daily_prices/${VIX_FILE}`);
  const { text } = await http.get({ provider: 'cboe', url });
  const lines = text.split(/\r?\n/);
  if (isTruncated(lines.at(-1))) {
    problems.note('provider', `Cboe's ${VIX_FILE} is truncated; its last line is ignored.`);
    lines.pop();
  }
  const [header = '', ...rows] = lines.filter((line) => line !== '');
  const names = cellsOf(header.toUpperCase());
  const places = VIX_COLUMNS.map((column) => names.indexOf(column));
  if (rows.length === 0) throw vixError('empty', 'has no rows');
  if (places.includes(-1)) throw vixError('unreadable', 'has an unknown header');

  const values = createSeriesValues('vix_close', request, { label: LABEL, of: VIX_FILE });
  for (const [at, row] of rows.entries()) {
    const cells = cellsOf(row);
    const [date, high, low, close] = places.map((place) => cells[place]);
    if (cells.length <= Math.max(...places)) {
      problems.refuse('columns', { file: VIX_FILE, line: at + 2 }, 'the line is truncated');
      continue;
    }
    const session = isoDay(date ?? '');
    if (Number(high) < Number(low) && session >= from && session <= to) {
      const place = { provider: LABEL, of: VIX_FILE, session };
      problems.refuse('high below low', place, 'the high is below the low');
    } else values.offer(session, close);
  }
  return values.accepted;
}

/** The cells of a line; none contains a comma. */
function cellsOf(line: string): string[] {
  return line.split(',').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
}

/** True if the last number of a line has fewer decimals than the first: it may be truncated. */
function isTruncated(line = ''): boolean {
  const cells = line.split(',');
  const decimals = (cell = '') => cell.length - (cell.indexOf('.') + 1 || cell.length);
  return cells.length > 1 && decimals(cells[1]) !== decimals(cells.at(-1));
}

/** Converts `MM/DD/YYYY` to `YYYY-MM-DD`; returns any other text unchanged. */
function isoDay(text: string): string {
  return text.replace(/^(\d\d)\/(\d\d)\/(\d{4})$/, '$3-$1-$2');
}

function vixError(kind: ProviderFailure, what: string): ProviderError {
  return new ProviderError('cboe', kind, `Cboe's ${VIX_FILE} ${what}; see docs/live-data.md.`);
}
