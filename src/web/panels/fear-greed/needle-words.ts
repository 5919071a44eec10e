/** Half of what the longer words of a needle take on the scale: nearer to its ends they would hang below it. */
const ENDS = 4;
/** How far apart the words of both needles stand at least, on the scale. */
const APART = 9.5;

/** Where on the scale the middle of a needle's words stands: at its value, unless they would leave the scale. */
export function withinScale(value: number): number {
  return Math.min(100 - ENDS, Math.max(ENDS, value));
}

/** The same for the year-ago needle, whose words give way to those of the NOW needle along the ring. */
export function besideNow(yearAgo: number, now: number): number {
  const taken = withinScale(now);
  const own = withinScale(yearAgo);
  if (Math.abs(own - taken) >= APART) return own;
  const side = yearAgo < now ? -1 : 1;
  const aside = taken + side * APART;
  return withinScale(aside) === aside ? aside : taken - side * APART;
}
