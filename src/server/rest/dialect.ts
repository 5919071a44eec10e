import type { Table } from './tables.ts';

/** Limits of one request. */
export const REST_LIMITS = {
  /** Maximum number of rows of a response. Hosted Supabase projects have the same limit. */
  rows: 1_000,
  bodyBytes: 4_096,
  queryParameters: 40,
  /**
   * Maximum length of a list: the values of `in.(…)`, the rows of an insert, and the items of `Accept` and `Prefer`.
   */
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
  /** Maximum number of rows to return; `REST_LIMITS.rows` at most. */
  readonly limit: number;
}

/** The form of a response's body: a list of rows, one row as an object, or rows as CSV. */
export type ResponseShape = 'list' | 'single' | 'csv';

/** A read of a table. Each column that it names exists in the table. */
export interface ReadQuery {
  readonly table: Table;
  readonly columns: readonly string[];
  readonly conditions: readonly Condition[];
  readonly ordering: readonly Ordering[];
  readonly range: RowRange;
  /** True if the response must state the number of all rows, including those outside the range. */
  readonly counted: boolean;
  readonly shape: ResponseShape;
}

/** An insert into a table. Each column that it names exists in the table. */
export interface InsertQuery {
  readonly table: Table;
  readonly columns: readonly string[];
  /** The rows as a JSON list, with the same text as in the request. */
  readonly json: string;
}
