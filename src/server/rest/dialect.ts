import type { Table } from './tables.ts';

/** Bounds of one request. */
export const REST_LIMITS = {
  /** Rows of one response; hosted projects have the same bound. */
  rows: 1_000,
  bodyBytes: 4_096,
  queryParameters: 40,
  /** Values of `in.(…)`, rows of an insert, parsed items of `Accept` and `Prefer`. */
  listItems: 100,
  statementMs: 5_000,
} as const;

export const COMPARISONS = { eq: '=', neq: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
export type Comparison = keyof typeof COMPARISONS;

export const IS_VALUES = ['null', 'true', 'false', 'unknown'] as const;
export type IsValue = (typeof IS_VALUES)[number];

/** A filter on one column. */
export type Condition = { readonly column: string } & (
  | { readonly operator: Comparison; readonly value: string }
  | { readonly operator: 'in'; readonly values: readonly string[] }
  | { readonly operator: 'is'; readonly value: IsValue }
);

export interface Ordering {
  readonly column: string;
  readonly direction?: 'asc' | 'desc';
  readonly nulls?: 'first' | 'last';
}

export interface RowRange {
  readonly offset: number;
  /** At most `REST_LIMITS.rows`. */
  readonly limit: number;
}

/** A read. All its columns exist in its table. */
export interface ReadQuery {
  readonly table: Table;
  readonly columns: readonly string[];
  readonly conditions: readonly Condition[];
  readonly ordering: readonly Ordering[];
  readonly range: RowRange;
  /** True if the response states the number of rows without the range. */
  readonly counted: boolean;
  /** True for one row as an object instead of a list. */
  readonly single: boolean;
}

/** An insert. All its columns exist in its table. */
export interface InsertQuery {
  readonly table: Table;
  readonly columns: readonly string[];
  /** The rows as a JSON list, in the text of the request. */
  readonly json: string;
}
