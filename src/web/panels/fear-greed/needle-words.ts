/** Half of the length of a needle's longest words, on the scale: minimum distance from its ends. */
const ENDS = 4;
/** Minimum distance between the words of both needles, on the scale. */
const APART = 9.5;

/** Position of the middle of a needle's words on the scale: its value, unless the words would leave the scale. */
export function withinScale(value: number): number {
  return Math.min(100 - ENDS, Math.max(ENDS, value));
}

/** The same for the year-ago needle. Its words move along the ring away from those of the NOW needle. */
export function besideNow(yearAgo: number, now: number): number {
  const taken = withinScale(now);
  const own = withinScale(yearAgo);
  if (Math.abs(own - taken) >= APART) return own;
  const side = yearAgo < now ? -1 : 1;
  const aside = taken + side * APART;
  return withinScale(aside) === aside ? aside : taken - side * APART;
}
