import { toDay, toFields, toInstant, toName } from './parse.ts';

/** The origin of one input of the rows with this `created_at`. */
export interface InputOriginRow {
  /** `bars`, or the name of a daily series. */
  input: string;
  /** The provider's name; null if no provider had the input. */
  provider: string | null;
  /** The session of the input's newest value, `YYYY-MM-DD`. */
  session: string | null;
  /** Time at which that value was observed. */
  observed_at: string | null;
  fetched_at: string | null;
  created_at: string;
}

export const INPUT_ORIGINS_COLUMNS = 'input,provider,session,observed_at,fetched_at,created_at';

/** The row in an untrusted value; null if `input` or `created_at` is invalid. */
export function parseInputOrigin(value: unknown): InputOriginRow | null {
  const fields = toFields(value);
  if (fields === null) return null;
  const input = toName(fields.input);
  const created_at = toInstant(fields.created_at);
  if (input === null || created_at === null) return null;
  return {
    input,
    provider: toName(fields.provider),
    session: toDay(fields.session),
    observed_at: toInstant(fields.observed_at),
    fetched_at: toInstant(fields.fetched_at),
    created_at,
  };
}
