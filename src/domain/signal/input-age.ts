import { nextSession } from '../calendar/sessions.ts';

/** Reading 22: an input that is more sessions than this behind the newest one counts as missing. */
export const SESSIONS_KEPT = 5;

/** 'older' is of an earlier session than the newest input; 'expired' is more than five sessions behind it. */
export type InputAge = 'newest' | 'older' | 'expired';

/** The age of an input by its session and the newest session of all inputs, both `YYYY-MM-DD`. */
export function inputAge(session: string, newest: string): InputAge {
  if (session >= newest) return 'newest';
  let expiry = session;
  for (let passed = 0; passed <= SESSIONS_KEPT; passed += 1) expiry = nextSession(expiry);
  return expiry <= newest ? 'expired' : 'older';
}
