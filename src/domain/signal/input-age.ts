import { nextSession } from '../calendar/sessions.ts';
import { SIGNAL_INPUTS, type SignalInput, type SignalInputs } from './inputs.ts';

/**
 * An input that is more than this number of sessions behind the newest input counts as missing (specification, reading
 * 22).
 */
export const SESSIONS_KEPT = 5;

/** 'older': from an earlier session than the newest input. 'expired': more than five sessions behind it. */
export type InputAge = 'newest' | 'older' | 'expired';

/** The session of each input (null without rows) and its age. */
export type InputAges = Readonly<Record<SignalInput, { session: string | null; age: InputAge }>>;

/** The age of an input by its session and the newest session of all inputs, both `YYYY-MM-DD`. */
function inputAge(session: string, newest: string): InputAge {
  if (session >= newest) return 'newest';
  let expiry = session;
  for (let passed = 0; passed <= SESSIONS_KEPT; passed += 1) expiry = nextSession(expiry);
  return expiry <= newest ? 'expired' : 'older';
}

/** The ages of all inputs; one without rows counts as 'newest'. */
export function inputAges(inputs: SignalInputs): InputAges {
  const sessions = SIGNAL_INPUTS.map((input) => inputs[input].session ?? '');
  const newest = sessions.sort().at(-1) ?? '';
  const ages = SIGNAL_INPUTS.map((input) => {
    const { session } = inputs[input];
    return [input, { session, age: session === null ? 'newest' : inputAge(session, newest) }];
  });
  return Object.fromEntries(ages);
}
