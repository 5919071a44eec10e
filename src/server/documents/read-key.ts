import type { IncomingMessage } from 'node:http';
import { requestOf } from '#queries/read-addresses.ts';
import type { TableRead } from '#queries/table-reads.ts';

export const REST_PREFIX = '/rest/v1';

const keyOf = (url: string, prefer: string | string[] | undefined) =>
  prefer === undefined ? url : `${url}\n${prefer}`;

export function keyOfRead(read: TableRead): string {
  const { query, headers: { Prefer: prefer } = {} } = requestOf(read);
  return keyOf(`${REST_PREFIX}/${read.table}?${query}`, prefer);
}

const isPlainList = (accept: string | undefined) =>
  accept === undefined || accept === '*/*' || accept === 'application/json';

/** Returns a function that computes the key of a request in a release; null if the gate might respond differently. */
export function requestKeys(publicKey: string): (request: IncomingMessage) => string | null {
  const bearer = `Bearer ${publicKey}`;
  const parameter = `&apikey=${publicKey}`;
  return ({ method, url = '', headers }) => {
    if (method !== 'GET' && method !== 'HEAD') return null;
    const { accept, apikey, authorization, prefer, range } = headers;
    if (!isPlainList(accept) || range !== undefined || headers['accept-profile'] !== undefined) return null;
    if (apikey !== undefined && apikey !== publicKey) return null;
    if (authorization !== undefined && authorization !== bearer) return null;
    if (url.endsWith(parameter)) return keyOf(url.slice(0, -parameter.length), prefer);
    if (apikey === undefined && authorization === undefined) return null;
    return keyOf(url, prefer);
  };
}
