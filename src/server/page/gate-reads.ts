import { requestOf } from '#queries/read-addresses.ts';
import type { SendRead } from '#queries/read-rows.ts';
import type { TableRead } from '#queries/table-reads.ts';
import type { RestResponse } from '../rest/exchange.ts';
import type { Gate } from '../rest/gate.ts';

/** Rejects with the reason of the signal once it aborts. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Called with each successful response. */
export type OnResponse = (read: TableRead, response: RestResponse) => void;

/** Sends reads through a gate in this process, as the same requests that a browser sends. Rejects once `limit` aborts. */
export function sendThroughGate(
  gate: Gate,
  publicKey: string,
  limit: AbortSignal,
  onResponse: OnResponse = () => undefined,
): SendRead {
  const late = aborted(limit);
  // Without a read under way nothing else handles it.
  late.catch(() => undefined);
  return async (read) => {
    limit.throwIfAborted();
    const { query, headers: { Prefer: prefer } = {} } = requestOf(read);
    const responding = gate({
      method: 'GET',
      path: `/${read.table}`,
      query,
      headers: { apikey: publicKey, prefer },
      body: new Uint8Array(),
      client: null,
    });
    const response = await Promise.race([responding, late]);
    const { status, headers, body } = response;
    const json: unknown = JSON.parse(body);
    if (status >= 400) return { data: null, error: json as object, status, count: null };
    onResponse(read, response);
    const total = read.isCounted ? Number(headers['Content-Range']?.split('/')[1]) : null;
    return { data: json, error: null, status, count: total };
  };
}
