import type { Table } from './tables.ts';

/** How much one request may ask for. */
export const REST_LIMITS = {
  /** Rows of one answer; hosted projects have the same bound. */
  rows: 1_000,
  bodyBytes: 4_096,
  queryParameters: 40,
  /** Names in `select`, `order` or `columns`, values in `in.(…)`; items read of `Accept` and `Prefer`. */
  listItems: 100,
  statementMs: 5_000,
} as const;

export const COMPARISONS = { eq: '=', neq: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
export type Comparison = keyof typeof COMPARISONS;

export const TRUTHS = ['null', 'unknown', 'true', 'false'] as const;
export type Truth = (typeof TRUTHS)[number];

/** What a filter asks of one column. */
export type Operation = { readonly negated: boolean } & (
  | { readonly operator: Comparison; readonly value: string }
  | { readonly operator: 'in'; readonly values: readonly string[] }
  | { readonly operator: 'is'; readonly value: Truth }
);

export type Condition = Operation & { readonly column: string };

export interface Ordering {
  readonly column: string;
  readonly direction?: 'asc' | 'desc';
  readonly nulls?: 'first' | 'last';
}

/** The rows asked for, from `offset` (decimal text: it may be past any number of ours). */
export interface RowRange {
  readonly offset: string;
  readonly limit: number;
}

/** A read, all of whose names are columns of its table. */
export interface ReadQuery {
  readonly table: Table;
  readonly columns: readonly string[];
  readonly conditions: readonly Condition[];
  readonly ordering: readonly Ordering[];
  readonly range: RowRange;
  readonly counted: boolean;
  /** One row as an object instead of a list. */
  readonly single: boolean;
}

/** An insert, all of whose names are columns of its table. */
export interface InsertQuery {
  readonly table: Table;
  /** None where no row has any. */
  readonly columns: readonly string[];
  /** How many there are, where no column is asked for by name. */
  readonly rows: number;
  /** The rows as JSON, as they came: one object or a list of them. */
  readonly json: string;
  /** Whether a column that a row lacks takes its default, rather than null. */
  readonly defaults: boolean;
}
