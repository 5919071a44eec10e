import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Confirming, Leaving } from '#mailer/subscribers/subscription.ts';
import { readToken, type TokenPurpose } from '#mailer/subscribers/token.ts';
import { failureFields, type Log } from '../log.ts';
import { NOTICE_HEADERS, type Notice, renderNotice } from '../page/notice-page.ts';
import { AWAY, INVALID_LINKS, QUESTIONS, RESULTS } from '../page/subscription-notices.ts';
import { readBody } from './read-body.ts';
import type { Headers } from './resource.ts';
import { send, sendText } from './send.ts';

/** Actions of the links in mails. Each takes a subscriber's reference, and rejects while the database is away. */
export interface SubscriptionLinks {
  readonly signingKey: Uint8Array;
  readonly productName: string;
  readonly unsubscribe: (reference: string) => Promise<Leaving>;
  readonly confirm: (reference: string) => Promise<Confirming>;
}

interface Reply {
  readonly status: number;
  readonly notice: Notice;
  readonly headers?: Headers;
}

// Mail clients and proxies may change the case of a path or add a slash at its end.
const LINK = /^\/(unsubscribe|confirm)(?:\/([^/]*)\/?)?$/i;
/** Mail providers post a few hundred bytes, which are ignored. */
const LONGEST_BODY = 8_192;

/** Returns the purpose and the token of a link's path; null for any other path. */
export function readLink(path: string): { purpose: TokenPurpose; token: string } | null {
  const [, purpose, token = ''] = LINK.exec(path) ?? [];
  if (purpose === undefined) return null;
  return { purpose: purpose.toLowerCase() as TokenPurpose, token };
}

async function act(
  links: SubscriptionLinks,
  log: Log,
  purpose: TokenPurpose,
  reference: string,
): Promise<Reply> {
  try {
    const outcome = await links[purpose](reference);
    if (outcome === 'unknown') return { status: 404, notice: INVALID_LINKS[purpose] };
    return { status: 200, notice: RESULTS[outcome] };
  } catch (error) {
    log.error('link failed', { link: purpose, ...failureFields(error) });
    return { status: 503, notice: AWAY(purpose), headers: { 'Retry-After': '60' } };
  }
}

/**
 * Responds to a link that `readLink` has found in `path`. GET, which mail scanners send, shows a button and changes nothing.
 * POST acts, with any body and no cookie (RFC 8058). An invalid token is refused without a query.
 */
export async function handleLink(
  { links, log }: { links: SubscriptionLinks; log: Log },
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  { purpose, token }: { purpose: TokenPurpose; token: string },
): Promise<void> {
  const isPost = request.method === 'POST';
  if (!isPost && request.method !== 'GET' && request.method !== 'HEAD') {
    const allowed = 'GET, HEAD, POST';
    sendText(request, response, 405, `This address allows ${allowed} only.`, { Allow: allowed });
    return;
  }
  if (isPost && (await readBody(request, LONGEST_BODY)) === null) {
    sendText(request, response, 413, 'The request is too long.', { Connection: 'close' });
    return;
  }
  const reference = readToken(links.signingKey, purpose, token);
  let reply: Reply = { status: 200, notice: QUESTIONS[purpose] };
  if (reference === null) reply = { status: 404, notice: INVALID_LINKS[purpose] };
  else if (isPost) reply = await act(links, log, purpose, reference);
  const { status, notice, headers } = reply;
  const home = '../'.repeat(path.split('/').length - 2) || './';
  const page = renderNotice(notice, { productName: links.productName, home });
  send(request, response, status, { ...NOTICE_HEADERS, ...headers }, page);
}
