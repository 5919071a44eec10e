// This file has no functions, so that the page's first script needs little code to draw the zones.

/** The bands of the Fear & Greed index (specification, section 9). Their edges are 25, 45, 55 and 75. */
export const FEAR_GREED_BANDS = [
  { from: 75, zone: 'extreme-greed', label: 'Extreme Greed' },
  { from: 55, zone: 'greed', label: 'Greed' },
  { from: 45, zone: 'neutral', label: 'Neutral' },
  { from: 25, zone: 'fear', label: 'Fear' },
  { from: Number.NEGATIVE_INFINITY, zone: 'extreme-fear', label: 'Extreme Fear' },
] as const;
