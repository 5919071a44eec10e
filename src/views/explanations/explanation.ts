/** Text of a metric's information button, word for word in docs/methodology.md. */
export interface Explanation {
  readonly name: string;
  /** Two sentences: what it is; how it is computed and from which inputs. */
  readonly text: string;
  /** The bands in one sentence; null where the metric has none. */
  readonly bands: string | null;
}
