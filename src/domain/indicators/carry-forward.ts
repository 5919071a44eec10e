/**
 * Maximum number of sessions for which yields and credit spreads keep their last value. They are published late, and
 * not on bank holidays.
 */
export const CARRIED_SESSIONS = 5;

/** Fills each gap with the last observation for at most `sessions` sessions; NaN after that. */
export function carryForward(values: Float64Array, sessions: number = CARRIED_SESSIONS): Float64Array {
  const carried = values.slice();
  let last = Number.NaN;
  let age = 0;
  for (let session = 0; session < values.length; session++) {
    const value = values[session] ?? Number.NaN;
    if (!Number.isNaN(value)) {
      last = value;
      age = 0;
    } else if (++age <= sessions) {
      carried[session] = last;
    }
  }
  return carried;
}
