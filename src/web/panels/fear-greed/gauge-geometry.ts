/** Sizes of a semicircle whose left end is the value 0 and right end the value 100, in units of the drawing. */
export const GAUGE = {
  width: 400,
  height: 224,
  centre: { x: 200, y: 216 },
  outer: 192,
  inner: 154,
} as const;

export interface Point {
  x: number;
  y: number;
}

// Rounds, because the last digits of a sine differ between engines, but server and browser must render the same markup.
const rounded = (coordinate: number) => Math.round(coordinate * 100) / 100;

/** The point of `value` (0–100) at `radius` from the centre, in hundredths. */
export function gaugePoint(value: number, radius: number): Point {
  const angle = Math.PI * (1 - value / 100);
  return {
    x: rounded(GAUGE.centre.x + radius * Math.cos(angle)),
    y: rounded(GAUGE.centre.y - radius * Math.sin(angle)),
  };
}

const text = ({ x, y }: Point) => `${x} ${y}`;

/** The path of the ring from one value to another, edges exactly on both. */
export function gaugeBand(from: number, to: number): string {
  const { outer, inner } = GAUGE;
  return [
    `M${text(gaugePoint(from, outer))}`,
    `A${outer} ${outer} 0 0 1 ${text(gaugePoint(to, outer))}`,
    `L${text(gaugePoint(to, inner))}`,
    `A${inner} ${inner} 0 0 0 ${text(gaugePoint(from, inner))}`,
    'Z',
  ].join('');
}

export function gaugeTurn(value: number): string {
  return `rotate(${rounded((value - 50) * 1.8)} ${text(GAUGE.centre)})`;
}

export function gaugeHub(radius: number): string {
  const { x, y } = GAUGE.centre;
  return `M${x - radius} ${y}A${radius} ${radius} 0 0 1 ${x + radius} ${y}`;
}

/** A needle towards `value`: its tip and its base at these distances from the centre, `halfWidth` to each side. */
export function gaugeNeedle(value: number, tip: number, foot: number, halfWidth: number): string {
  const angle = Math.PI * (1 - value / 100);
  const across = { x: Math.sin(angle) * halfWidth, y: Math.cos(angle) * halfWidth };
  const at = gaugePoint(value, foot);
  return [
    `M${text(gaugePoint(value, tip))}`,
    `L${text({ x: rounded(at.x + across.x), y: rounded(at.y + across.y) })}`,
    `L${text({ x: rounded(at.x - across.x), y: rounded(at.y - across.y) })}`,
    'Z',
  ].join('');
}

/** Minimum distance of a needle's words from the ends of the scale: half the length of the longest words. */
const ENDS = 4;
/** Minimum distance on the scale of two needles whose words stand beside each other: those of 'NOW', and those of a date. */
const APART = { now: 9.5, date: 12.5 } as const;

/** Position of the middle of a needle's words on the scale: its value, unless the words would leave the scale. */
export function withinScale(value: number): number {
  return Math.min(100 - ENDS, Math.max(ENDS, value));
}

export const areClose = (yearAgo: number, now: number, words: keyof typeof APART): boolean =>
  Math.abs(withinScale(yearAgo) - withinScale(now)) < APART[words];

/** Minimum distance of a zone's number from the NOW needle, on the scale. */
const NUMBER_ROOM = 4;

/** Position of the number at a zone's edge: its value, or beside the NOW needle, which would cover it. */
export function edgeNumberPlace(edge: number, now: number): number {
  if (Math.abs(edge - now) >= NUMBER_ROOM) return edge;
  return edge < now ? now - NUMBER_ROOM : now + NUMBER_ROOM;
}
