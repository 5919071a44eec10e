export type ProblemKind =
  | 'columns'
  | 'missing value'
  | 'number'
  | 'date'
  | 'price'
  | 'high below low'
  | 'duplicate'
  | 'unknown symbol'
  | 'quote'
  | 'text'
  | 'one-day move'
  | 'future date'
  | 'provider'
  | 'missing symbol'
  | 'missing input'
  | 'correction'
  | 'readjusted'
  | 'clock';

interface Problem {
  kind: ProblemKind;
  /** The file or provider of a rejected row; null for a note. */
  file: string | null;
  /** `bars.csv, line 7, column high: …`, printable. */
  message: string;
}

/** The place of a rejected value: a line of a file, or a symbol in a provider's response. */
type Place =
  | { file: string; line: number; column?: string }
  | { provider: string; item: string; session?: string };

function describePlace(place: Place): string {
  if ('file' in place) {
    return `${place.file}, line ${place.line}${place.column === undefined ? '' : `, column ${place.column}`}`;
  }
  return `${place.provider}, ${place.item}${place.session === undefined ? '' : ` on ${place.session}`}`;
}

export interface ProblemSummary {
  kind: ProblemKind;
  count: number;
  first: readonly string[];
}

const SHOWN_OF_EACH_KIND = 20;

export type Problems = ReturnType<typeof createProblems>;

/** Collects the problems of one run. Keeps at most twenty refusals and twenty notes per kind. */
export function createProblems() {
  const refusalCounts = new Map<ProblemKind, number>();
  const noteCounts = new Map<ProblemKind, number>();
  const shown: Problem[] = [];
  let refused = 0;

  function add(kind: ProblemKind, file: string | null, message: () => string): void {
    const counts = file === null ? noteCounts : refusalCounts;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    if (count <= SHOWN_OF_EACH_KIND) shown.push({ kind, file, message: printable(message()) });
  }

  function summarize(
    counts: ReadonlyMap<ProblemKind, number>,
    belongs: (problem: Problem) => boolean,
  ): ProblemSummary[] {
    const own = shown.filter(belongs);
    return Array.from(counts, ([kind, count]) => ({
      kind,
      count,
      first: own.filter((problem) => problem.kind === kind).map(({ message }) => message),
    }));
  }

  return {
    refuse(kind: ProblemKind, place: Place, why: string): void {
      refused += 1;
      add(kind, 'file' in place ? place.file : place.provider, () => `${describePlace(place)}: ${why}`);
    },
    /** Notes a problem for which no row is rejected. */
    note: (kind: ProblemKind, message: string) => add(kind, null, () => message),
    get refused() {
      return refused;
    },
    shown: shown as readonly Problem[],
    refusals: () => summarize(refusalCounts, ({ file }) => file !== null),
    notes: () => summarize(noteCounts, ({ file }) => file === null),
  };
}

/** A run cannot continue. The message is one plain, printable sentence. */
export class SourceError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(printable(message), options);
    this.name = 'SourceError';
  }
}

// Matches control characters, invisible and direction marks, lone surrogates and line separators.
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;
const NOT_ASCII = /[^\x20-\x7e]/g;
/** Maximum length of a quoted value (characters). */
const LONGEST = 24;

/** An outside value for a message: its first characters, `?` for each that is not printable ASCII. */
export function shown(value: unknown, longest = LONGEST): string {
  const text = typeof value === 'object' ? 'an object' : String(value);
  return text.slice(0, longest).replace(NOT_ASCII, '?');
}

/** Text that is safe in a terminal, a log and the database: `?` for each invisible character. */
export function printable(text: string): string {
  return text.replace(UNSEEN, '?');
}

export function printableJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? printable(part) : part));
}
