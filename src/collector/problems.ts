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

/** The problems of one kind: their number, and the printable messages of the first ones, such as `bars.csv, line 7: …`. */
export interface ProblemSummary {
  readonly kind: ProblemKind;
  readonly count: number;
  readonly first: readonly string[];
}

const SHOWN_OF_EACH_KIND = 20;

export type Problems = ReturnType<typeof createProblems>;

/** Collects the problems of one run. Keeps the messages of at most twenty refusals and twenty notes per kind. */
export function createProblems() {
  const refusals = new Map<ProblemKind, { kind: ProblemKind; count: number; first: string[] }>();
  const notes: typeof refusals = new Map();
  /** The kept messages. `file` is the file or provider of a rejected row; null for a note. */
  const shown: { readonly file: string | null; readonly message: string }[] = [];
  let refused = 0;

  function add(kind: ProblemKind, file: string | null, message: () => string): void {
    const summaries = file === null ? notes : refusals;
    const summary = summaries.get(kind) ?? { kind, count: 0, first: [] };
    summaries.set(kind, summary);
    summary.count += 1;
    if (summary.count > SHOWN_OF_EACH_KIND) return;
    const text = printable(message());
    summary.first.push(text);
    shown.push({ file, message: text });
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
    shown: shown as readonly (typeof shown)[number][],
    refusals: (): readonly ProblemSummary[] => [...refusals.values()],
    notes: (): readonly ProblemSummary[] => [...notes.values()],
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
