/** Minimum distance of a needle's words from the ends of the scale: half the length of the longest words. */
const ENDS = 4;
/** Minimum distance between the words of both needles, on the scale. */
const APART = 9.5;

/** Position of the middle of a needle's words on the scale: its value, unless the words would leave the scale. */
export function withinScale(value: number): number {
  return Math.min(100 - ENDS, Math.max(ENDS, value));
}

/**
 * The place of the words of the year-ago needle. They move along the ring, away from the words of the NOW
 * needle.
 */
export function besideNow(yearAgo: number, now: number): number {
  const taken = withinScale(now);
  const own = withinScale(yearAgo);
  if (Math.abs(own - taken) >= APART) return own;
  const side = yearAgo < now ? -1 : 1;
  const aside = taken + side * APART;
  return withinScale(aside) === aside ? aside : taken - side * APART;
}

/** Minimum distance of a zone's number from the NOW needle, on the scale. */
const NUMBER_ROOM = 4;

/**
 * Position of the number at a zone's edge: its value, or a place beside the NOW needle if the needle would cover the
 * number.
 */
export function besideNeedle(edge: number, now: number): number {
  if (Math.abs(edge - now) >= NUMBER_ROOM) return edge;
  return edge < now ? now - NUMBER_ROOM : now + NUMBER_ROOM;
}
