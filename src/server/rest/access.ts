import { bearerToken, isSameKey } from '../public-key.ts';
import type { RestRequest, RestResponse } from './exchange.ts';

// The bodies of a hosted project.
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

const KEY_PARAMETERS = /(?:^|&)apikey=([^&]*)/g;

/**
 * Takes the keys out of the query of a request. As at a hosted project the key may stand in the address, so that a page of
 * another origin can read without a preflight.
 */
export function takeKeys(request: RestRequest): { keys: string[]; request: RestRequest } {
  const keys = [...request.query.matchAll(KEY_PARAMETERS)].map(([, key = '']) => key);
  if (keys.length === 0) return { keys, request };
  return { keys, request: { ...request, query: request.query.replace(KEY_PARAMETERS, '') } };
}

/** The 401 for a request without the public key, in `keys`, `apikey` or as bearer, or with another one. Null with the key. */
export function checkAccess(
  { headers: { apikey, authorization } }: RestRequest,
  publicKey: string,
  keys: readonly string[],
): RestResponse | null {
  const given = [...keys, apikey, bearerToken(authorization)].filter((key) => key !== undefined);
  if (given.length > 0 && given.every((key) => isSameKey(key, publicKey))) return null;
  const refusal = REFUSALS[given.length === 0 ? 'absent' : 'wrong'];
  return {
    status: 401,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: JSON.stringify(refusal),
  };
}
