import { printable } from './printable.ts';

/** What can be wrong with a row of input. */
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

/** One thing that is wrong. */
export interface Problem {
  kind: ProblemKind;
  /** The file or provider of the refused row; null for what cost no row. */
  file: string | null;
  /** `bars.csv, line 7, column high: …`, printable. */
  message: string;
}

/** Where a refused value stood: a line of a file, or something in a provider's answer. */
export type Place =
  | { file: string; line: number; column?: string }
  | { provider: string; of: string; session?: string };

function describePlace(place: Place): string {
  if ('file' in place) {
    return `${place.file}, line ${place.line}${place.column === undefined ? '' : `, column ${place.column}`}`;
  }
  return `${place.provider}, ${place.of}${place.session === undefined ? '' : ` on ${place.session}`}`;
}

/** How often a kind of problem came up, with the first of them in words. */
export interface ProblemSummary {
  kind: ProblemKind;
  count: number;
  first: readonly string[];
}

const SHOWN_OF_EACH_KIND = 20;

/** Collects what is wrong in one run. Bounded: a million bad rows cost no more than twenty. */
export interface Problems {
  /** A row that is left out. */
  refuse(kind: ProblemKind, at: Place, why: string): void;
  /** Something to look at that cost no row. */
  note(kind: ProblemKind, message: string): void;
  /** How many rows were left out. */
  readonly refused: number;
  readonly shown: readonly Problem[];
  /** The refused rows by kind. */
  refusals(): ProblemSummary[];
  /** What was noted by kind. */
  notes(): ProblemSummary[];
}

export function createProblems(): Problems {
  const counts = new Map<ProblemKind, number>();
  const shown: Problem[] = [];
  let refused = 0;

  function add(kind: ProblemKind, file: string | null, message: () => string): void {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    if (count <= SHOWN_OF_EACH_KIND) shown.push({ kind, file, message: printable(message()) });
  }

  function summarize(belongs: (problem: Problem) => boolean): ProblemSummary[] {
    const kinds = new Set(shown.filter(belongs).map(({ kind }) => kind));
    return [...kinds].map((kind) => ({
      kind,
      count: counts.get(kind) ?? 0,
      first: shown.filter((problem) => problem.kind === kind).map(({ message }) => message),
    }));
  }

  return {
    refuse(kind, place, why) {
      refused += 1;
      add(kind, 'file' in place ? place.file : place.provider, () => `${describePlace(place)}: ${why}`);
    },
    note: (kind, message) => add(kind, null, () => message),
    get refused() {
      return refused;
    },
    shown,
    refusals: () => summarize((problem) => problem.file !== null),
    notes: () => summarize((problem) => problem.file === null),
  };
}

/** The source cannot give what a run needs; the message is one plain sentence, printable. */
export class SourceError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(printable(message), options);
    this.name = 'SourceError';
  }
}
