/** One measured figure; `bound` says in words what it is held against. */
export interface Figure {
  what: string;
  value: number;
  unit: string;
  bound?: string;
}
