import { bearerToken, isSameKey } from '../public-key.ts';
import type { RestRequest, RestResponse } from './exchange.ts';

// Worded as a hosted project words them, so that clients treat them alike.
const REFUSALS = {
  absent: {
    message: 'No API key found in request',
    hint: 'No `apikey` request header or url param was found.',
  },
  wrong: {
    message: 'Invalid API key',
    hint: 'Double check your Supabase `anon` or `service_role` API key.',
  },
} as const;

/** The refusal of a request that does not carry the public key in `apikey` or as bearer; null when it does. */
export function checkAccess(request: RestRequest, publicKey: string): RestResponse | null {
  const { apikey, authorization } = request.headers;
  const given = [apikey, bearerToken(authorization)].filter((key) => key !== undefined);
  if (given.length > 0 && given.every((key) => isSameKey(key, publicKey))) return null;
  const refusal = REFUSALS[given.length === 0 ? 'absent' : 'wrong'];
  return {
    status: 401,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: JSON.stringify(refusal),
  };
}
