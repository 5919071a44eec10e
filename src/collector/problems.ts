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
  | 'quote';

/** One row that was refused, in words: file, line, column and why. */
export interface Problem {
  kind: ProblemKind;
  file: string;
  line: number;
  column: string | null;
  /** `bars.csv, line 7, column high: …` */
  message: string;
}

/** How often a kind of problem came up, with the first of them in words. */
export interface ProblemSummary {
  kind: ProblemKind;
  count: number;
  first: readonly string[];
}

const SHOWN_OF_EACH_KIND = 20;

/** Collects the refused rows of one run. Bounded: a million bad rows cost no more than twenty. */
export interface Problems {
  refuse(kind: ProblemKind, at: { file: string; line: number; column?: string }, why: string): void;
  readonly refused: number;
  readonly shown: readonly Problem[];
  summary(): ProblemSummary[];
}

export function createProblems(): Problems {
  const counts = new Map<ProblemKind, number>();
  const shown: Problem[] = [];
  let refused = 0;
  return {
    refuse(kind, { file, line, column }, why) {
      refused += 1;
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      if (count > SHOWN_OF_EACH_KIND) return;
      const place = `${file}, line ${line}${column === undefined ? '' : `, column ${column}`}`;
      shown.push({ kind, file, line, column: column ?? null, message: `${place}: ${why}` });
    },
    get refused() {
      return refused;
    },
    shown,
    summary: () =>
      [...counts].map(([kind, count]) => ({
        kind,
        count,
        first: shown.filter((problem) => problem.kind === kind).map((problem) => problem.message),
      })),
  };
}

/** The source cannot give what a run needs; the message is one plain sentence. */
export class SourceError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SourceError';
  }
}
