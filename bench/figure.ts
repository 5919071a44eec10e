/** The limits of a figure; each one given has to be met. */
export interface Bound {
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly exactly?: number;
  /** At least as many times the peer's value. */
  readonly timesPeer?: number;
}

/** Another program, or another way, measured in the same run or published; its value is in the figure's unit. */
export interface Peer {
  readonly name: string;
  readonly value: number;
}

/** One measured figure. `NaN` is one that could not be measured, and meets no bound. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  /** 'ms', '/s', '' for a count. */
  readonly unit: string;
  /** Each of several runs, in their order, where the value is their median. */
  readonly runs?: readonly number[];
  readonly peer?: Peer;
  readonly bound?: Bound;
}

/** The figure divided by the peer's value; `NaN` without a peer. */
export function timesPeer({ value, peer }: Figure): number {
  return peer === undefined ? Number.NaN : value / peer.value;
}

/** True if a figure meets all limits of its bound, or has none. */
export function isMet(figure: Figure): boolean {
  const { value, bound = {} } = figure;
  return (
    (bound.atLeast === undefined || value >= bound.atLeast) &&
    (bound.atMost === undefined || value <= bound.atMost) &&
    (bound.exactly === undefined || value === bound.exactly) &&
    (bound.timesPeer === undefined || timesPeer(figure) >= bound.timesPeer)
  );
}
