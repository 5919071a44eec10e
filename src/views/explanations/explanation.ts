/** Text of a metric's information button, word for word in docs/methodology.md. */
export interface Explanation {
  readonly name: string;
  /** Two to five sentences: the meaning, then the computation and its inputs. */
  readonly text: string;
  /** The bands in one sentence; null if the metric has no bands. */
  readonly bands: string | null;
}
