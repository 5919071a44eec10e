/** Text of a metric's information button, word for word in docs/methodology.md. */
export interface Explanation {
  readonly name: string;
  /** Two sentences: the meaning; the computation and its inputs. */
  readonly text: string;
  /** The bands in one sentence; null where the metric has none. */
  readonly bands: string | null;
}
