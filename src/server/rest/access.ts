import { bearerToken } from '../public-key.ts';
import type { RestRequest } from './exchange.ts';
import { Refusal } from './refusal.ts';

const KEY_PARAMETERS = /(?:^|&)apikey=([^&]*)/g;

// These messages are those of a hosted Supabase project.
const ABSENT = {
  message: 'No API key found in request',
  hint: 'No `apikey` request header or url param was found.',
};
const WRONG = {
  message: 'Invalid API key',
  hint: 'Double check your Supabase `anon` or `service_role` API key.',
};

/**
 * Returns the query of a request without its keys. The query may contain the key, as in a hosted Supabase project, so
 * that a page of another origin can read without a preflight request. Throws `Refusal` (401) if there is no key, or if
 * any key or the bearer token is not the public key.
 */
export function authorisedQuery(
  { query, headers: { apikey, authorization } }: RestRequest,
  publicKey: string,
): string {
  const inQuery = [...query.matchAll(KEY_PARAMETERS)].map(([, key]) => key);
  const keys = [...inQuery, apikey, bearerToken(authorization)].filter((key) => key !== undefined);
  if (keys.length === 0) throw new Refusal({ status: 401, code: null, ...ABSENT });
  if (keys.some((key) => key !== publicKey)) throw new Refusal({ status: 401, code: null, ...WRONG });
  return inQuery.length === 0 ? query : query.replace(KEY_PARAMETERS, '');
}
