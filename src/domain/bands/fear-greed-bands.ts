// Without functions, so that the page's first script can draw the zones with little code.

/** Specification, section 9: under 25, 45, 55, 75. */
export const FEAR_GREED_BANDS = [
  { from: 75, zone: 'extreme-greed', label: 'Extreme Greed' },
  { from: 55, zone: 'greed', label: 'Greed' },
  { from: 45, zone: 'neutral', label: 'Neutral' },
  { from: 25, zone: 'fear', label: 'Fear' },
  { from: Number.NEGATIVE_INFINITY, zone: 'extreme-fear', label: 'Extreme Fear' },
] as const;
