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

const KEY_PARAMETERS = /(?:^|&)apikey=([^&]*)/g;

/**
 * A request without the keys in its address, and those keys. As at a hosted project the key may stand there: a page of
 * another origin reads so without asking for leave first, as each header of its own would make it do.
 */
export function takeKeys(request: RestRequest): { keys: string[]; request: RestRequest } {
  const keys = [...request.query.matchAll(KEY_PARAMETERS)].map(([, key = '']) => key);
  if (keys.length === 0) return { keys, request };
  const query = request.query.replace(KEY_PARAMETERS, '').replace(/^&/, '');
  return { keys, request: { ...request, query } };
}

/** The refusal of a request that carries the public key neither in `keys`, nor in `apikey` or as bearer; null when it does. */
export function checkAccess(
  request: RestRequest,
  publicKey: string,
  keys: readonly string[],
): RestResponse | null {
  const { apikey, authorization } = request.headers;
  const given = [...keys, apikey, bearerToken(authorization)].filter((key) => key !== undefined);
  if (given.length > 0 && given.every((key) => isSameKey(key, publicKey))) return null;
  const refusal = REFUSALS[given.length === 0 ? 'absent' : 'wrong'];
  return {
    status: 401,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: JSON.stringify(refusal),
  };
}
