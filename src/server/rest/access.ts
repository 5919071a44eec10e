import { bearerToken } from '../public-key.ts';
import type { RestRequest } from './exchange.ts';
import { Refusal } from './refusal.ts';

const KEY_PARAMETERS = /(?:^|&)apikey=([^&]*)/g;

// The messages of a hosted project.
const ABSENT = {
  message: 'No API key found in request',
  hint: 'No `apikey` request header or url param was found.',
};
const WRONG = {
  message: 'Invalid API key',
  hint: 'Double check your Supabase `anon` or `service_role` API key.',
};

/**
 * Returns the query of a request without its keys. As at a hosted project the key may be in the query, so that a page of
 * another origin can read without a preflight. Throws `Refusal` (401) if a key, the bearer token included, is not the
 * public key, or if there is none.
 */
export function checkAccess(
  { query, headers: { apikey, authorization } }: RestRequest,
  publicKey: string,
): string {
  const inQuery = [...query.matchAll(KEY_PARAMETERS)].map(([, key]) => key);
  const keys = [...inQuery, apikey, bearerToken(authorization)].filter((key) => key !== undefined);
  if (keys.length === 0) throw new Refusal({ status: 401, code: null, ...ABSENT });
  if (keys.some((key) => key !== publicKey)) throw new Refusal({ status: 401, code: null, ...WRONG });
  return inQuery.length === 0 ? query : query.replace(KEY_PARAMETERS, '');
}
