import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Confirming, Leaving } from '#mailer/subscribers/subscription.ts';
import { readToken, type TokenPurpose } from '#mailer/subscribers/token.ts';
import { failureFields, type Log } from '../log.ts';
import { NOTICE_HEADERS, type Notice, renderNotice } from '../page/notice-page.ts';
import {
  ANSWERS,
  AWAY,
  INVALID_LINKS,
  QUESTIONS,
  TOO_LONG,
  WRONG_METHOD,
} from '../page/subscription-notices.ts';
import { readBody } from './read-body.ts';
import type { Headers } from './resource.ts';
import { send } from './send.ts';

/** What the links in mails need. Each act takes a subscriber's reference and rejects without a database. */
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

// Mail clients and proxies may change the case of a path, or end it with a slash; the token they must keep.
const LINK = /^\/(unsubscribe|confirm)(?:\/([^/]*)\/?)?$/i;
/** What a mail provider posts is some hundred bytes, and says nothing the address does not. */
const LONGEST_BODY = 8_192;

/** The purpose and the token of a link's path; null for any other path. */
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
    return { status: 200, notice: ANSWERS[outcome] };
  } catch (error) {
    log.error('link failed', { link: purpose, ...failureFields(error) });
    return { status: 503, notice: AWAY(purpose), headers: { 'Retry-After': '60' } };
  }
}

/**
 * Answers a link of a mail: reading it, as scanners of mail do, shows a button and changes nothing; only a POST
 * acts, with whatever body, no cookie and no redirect (RFC 8058). A token that is none costs no look into the database.
 */
async function reply(
  links: SubscriptionLinks,
  log: Log,
  request: IncomingMessage,
  { purpose, token }: { purpose: TokenPurpose; token: string },
): Promise<Reply> {
  const { method = 'GET' } = request;
  const isPost = method === 'POST';
  if (!isPost && method !== 'GET' && method !== 'HEAD') {
    return { status: 405, notice: WRONG_METHOD, headers: { Allow: 'GET, HEAD, POST' } };
  }
  if (isPost && (await readBody(request, LONGEST_BODY)) === null) {
    return { status: 413, notice: TOO_LONG, headers: { Connection: 'close' } };
  }
  const reference = readToken(links.signingKey, purpose, token);
  if (reference === null) return { status: 404, notice: INVALID_LINKS[purpose] };
  return isPost ? act(links, log, purpose, reference) : { status: 200, notice: QUESTIONS[purpose] };
}

/** Answers a request whose path `readLink` knew, always with a page. */
export async function answerSubscription(
  { links, log }: { links: SubscriptionLinks; log: Log },
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  link: { purpose: TokenPurpose; token: string },
): Promise<void> {
  const { status, notice, headers } = await reply(links, log, request, link);
  const home = '../'.repeat(path.split('/').length - 2) || './';
  const page = renderNotice(notice, { productName: links.productName, home });
  send(request, response, status, { ...NOTICE_HEADERS, ...headers }, page);
}
