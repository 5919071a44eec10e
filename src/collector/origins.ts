import type { ProviderName } from './providers/names.ts';
import type { Input } from './providers/provider.ts';

/** The origin of one input of a row set. */
export interface InputOrigin {
  readonly input: Input;
  /**
   * Null without a value. Sources also return null, with a `session`, for a stored value; the collector then adds the
   * provider and fetch time that an earlier run recorded.
   */
  readonly provider: ProviderName | null;
  /** The session of its newest value. */
  readonly session: string | null;
  /** When that value was observed (epoch ms): the closing bell, or an instant of an open session. */
  readonly observedAt: number | null;
  /** Epoch ms. */
  readonly fetchedAt: number | null;
}
