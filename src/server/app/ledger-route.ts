import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LedgerFile } from '#record/ledger/served-ledger.ts';
import { toResource } from '../http/resource.ts';
import { UNFRAMED_HEADERS } from '../http/security-headers.ts';
import { NOT_FOUND, sendResource, sendText } from '../http/send.ts';
import { failureFields, type Log } from '../log.ts';

/** The part of the server that requests for the ledger use. */
export interface LedgerSource {
  /**
   * Returns the file of the ledger with a path such as `tile/0/000`; null if there is none. Rejects while the database
   * is unavailable.
   */
  readonly ledgerFile: (path: string) => Promise<LedgerFile | null>;
  readonly log: Log;
}

const PREFIX = '/ledger/';
const AWAY = 'The ledger cannot be read at the moment. Try again in a minute.';

/** Returns the part of a path after `/ledger/`; null for any other path. */
export const ledgerPath = (path: string): string | null =>
  path.startsWith(PREFIX) ? path.slice(PREFIX.length) : null;

/**
 * Sends a file of the ledger, or a 404. Pages of any site may read the file, so that a browser can verify the ledger.
 */
export async function sendLedgerFile(
  { ledgerFile, log }: LedgerSource,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  let file: LedgerFile | null;
  try {
    file = await ledgerFile(path);
  } catch (error) {
    log.error('ledger failed', failureFields(error));
    sendText(request, response, 503, AWAY, { 'Retry-After': '60' });
    return;
  }
  if (file === null) {
    sendText(request, response, 404, NOT_FOUND);
    return;
  }
  const headers = {
    ...UNFRAMED_HEADERS,
    'Access-Control-Allow-Origin': '*',
    'Cache-Control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    'Content-Type': path.startsWith('tile/') ? 'application/octet-stream' : 'text/plain; charset=utf-8',
  };
  sendResource(request, response, toResource(Buffer.from(file.content), headers));
}
