import type { ProviderName } from './providers/names.ts';
import type { Input } from './providers/provider.ts';

/** Where one input of a row set comes from. */
export interface InputOrigin {
  readonly input: Input;
  /**
   * Null when nobody gave it. A source leaves it null, with a `session`, for a value that was held: the collector
   * then puts down who gave that value, and when.
   */
  readonly provider: ProviderName | null;
  /** The session its newest value is of. */
  readonly session: string | null;
  /** When that value stood (epoch ms): the closing bell, or an instant of an open session. */
  readonly observedAt: number | null;
  readonly fetchedAt: number | null;
}
