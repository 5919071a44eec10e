import type { Verdict } from '#domain/bands/verdict.ts';
import { FEAR_GREED_ZONES as ZONES } from '#views/zones.ts';
import type { Zone } from '../bars.ts';
import type { Hue } from '../colours.ts';

/** As on the page. */
export const VERDICT_HUES: Record<Verdict, Hue> = {
  SELL: 'extreme-fear',
  HOLD: 'neutral',
  BUY: 'extreme-greed',
};

export const TONE_HUES = { positive: 'growth', negative: 'fall', neutral: 'flat' } as const;

/** A zone of Fear & Greed has its hue's name. */
export const FEAR_GREED_ZONES: readonly Zone[] = ZONES.map(({ from, to, zone }) => ({
  from,
  to,
  hue: zone,
}));
