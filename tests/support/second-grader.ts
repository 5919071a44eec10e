/*
 * A second implementation of rule g2. It reads CSV text alone and imports nothing of the product, so that a fault of the
 * first one does not show in both.
 */

export interface GradesCsv {
  /** `week,decided_at,source` */
  readonly signals: string;
  /** CSV with the columns `created_at,price,source`: the rows of the S&P 500, also those of open sessions. */
  readonly closes: string;
  /** `week,horizon_weeks,change_percent,status`, in the order of the ids. */
  readonly grades: string;
}

/** The SQL of the three exports. */
export const GRADES_CSV: Readonly<Record<keyof GradesCsv, string>> = {
  signals: 'select week, decided_at, source from public.issued_signals order by week',
  closes:
    "select created_at, price, source from public.market_indices where symbol = 'SPX' and price is not null order by created_at",
  grades: 'select week, horizon_weeks, change_percent, status from public.signal_grades order by id',
};

export interface Comparison {
  /** Number of grades that both implementations have. */
  readonly compared: number;
  /** The largest difference between the two implementations in a grade, in percentage points. */
  readonly largestDifference: number;
  /** Week and horizon of grades that only one implementation has. */
  readonly onlyOne: readonly string[];
}

type CsvRow = Readonly<Record<string, string>>;

function parseCsv(text: string): CsvRow[] {
  const [header = '', ...lines] = text.trim().split('\n');
  const names = header.split(',');
  return lines.map((line) => {
    const fields = line.split(',');
    return Object.fromEntries(names.map((name, at) => [name, fields[at] ?? '']));
  });
}

const instantOf = (text: string) => Date.parse(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));

const NEW_YORK = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'America/New_York',
  ...{
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  },
});
/** The exchange closes at 16:00, on half-days at 13:00. */
const BELL = / (16|13):00:00$/;
const DEMONSTRATIONS = ['simulated', 'replay'];
const marketOf = (source = '') => (DEMONSTRATIONS.includes(source) ? source : 'the market');

/** The last row of each day, if it is of a closing bell. */
function closesOf(rows: readonly CsvRow[]) {
  const byDay = new Map<string, { at: number; text: string; price: number; market: string }>();
  for (const { created_at = '', price, source } of rows) {
    const at = instantOf(created_at);
    const text = NEW_YORK.format(at);
    byDay.set(text.slice(0, 10), { at, text, price: Number(price), market: marketOf(source) });
  }
  return [...byDay.values()].filter(({ text }) => BELL.test(text)).sort((a, b) => a.at - b.at);
}

/** Grades every week again, and compares the changes with the newest grades of the export. */
export function gradeAgain(csv: GradesCsv): Comparison {
  const closes = closesOf(parseCsv(csv.closes));
  const mine = new Map<string, number>();
  for (const { week = '', decided_at = '', source } of parseCsv(csv.signals)) {
    const decided = NEW_YORK.format(instantOf(decided_at));
    const closeAfter = (weeks: number) => {
      const date = new Date(Date.parse(decided.slice(0, 10)) + weeks * 7 * 86_400_000);
      const from = date.toISOString().slice(0, 10) + decided.slice(10);
      return closes.find(({ text }) => text > from);
    };
    const entry = closeAfter(0);
    for (const horizon of [1, 4, 13]) {
      const exit = closeAfter(horizon);
      if (entry?.market !== marketOf(source) || exit?.market !== entry.market) continue;
      mine.set(`${week} ${horizon}`, 100 * ((exit.price - entry.price) / entry.price));
    }
  }
  const theirs = new Map<string, number>();
  for (const { week, horizon_weeks, change_percent, status } of parseCsv(csv.grades)) {
    if (status === 'graded') theirs.set(`${week} ${horizon_weeks}`, Number(change_percent));
  }
  const both = [...mine].filter(([key]) => theirs.has(key));
  return {
    compared: both.length,
    largestDifference: Math.max(0, ...both.map(([key, change]) => Math.abs(change - (theirs.get(key) ?? 0)))),
    onlyOne: [...mine.keys(), ...theirs.keys()].filter((key) => !mine.has(key) || !theirs.has(key)),
  };
}
