/** The limits of a result, all of which it has to meet. */
export interface Bound {
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly exactly?: number;
  /** Minimum multiple of the peer's value. */
  readonly timesPeer?: number;
}

/** Another program or implementation, measured in the same run or published. Its value has the same unit. */
export interface Peer {
  readonly name: string;
  readonly value: number;
}

/** A measured result. `NaN` means that the measurement failed, and meets no bound. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  /** 'ms', '/s', or '' for a count. */
  readonly unit: string;
  /** The results of all runs in order, if the value is their median. */
  readonly runs?: readonly number[];
  readonly peer?: Peer;
  readonly bound?: Bound;
}

/** The value divided by the peer's; `NaN` without a peer. */
export function timesPeer({ value, peer }: Figure): number {
  return peer === undefined ? Number.NaN : value / peer.value;
}

/** True if a result meets all limits of its bound, or has none. */
export function isMet(figure: Figure): boolean {
  const { value, bound = {} } = figure;
  return (
    (bound.atLeast === undefined || value >= bound.atLeast) &&
    (bound.atMost === undefined || value <= bound.atMost) &&
    (bound.exactly === undefined || value === bound.exactly) &&
    (bound.timesPeer === undefined || timesPeer(figure) >= bound.timesPeer)
  );
}
