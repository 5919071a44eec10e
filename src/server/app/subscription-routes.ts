import type { Database } from '#database/port.ts';
import { chooseAlerts, confirm, unsubscribe, wantsAlerts } from '#mailer/subscribers/subscription.ts';
import { makeToken, readToken, type TokenPurpose } from '#mailer/subscribers/token.ts';
import { readBody } from '../http/read-body.ts';
import { type Headers, send, sendText } from '../http/response.ts';
import { failureFields, type Log } from '../log.ts';
import { homeFrom, NOTICE_HEADERS, type Notice, renderNotice } from '../page/notice-page.ts';
import * as notices from '../page/subscription-notices.ts';
import type { Route } from './routes.ts';

interface Reply {
  readonly status: number;
  readonly notice: Notice;
  readonly headers?: Headers;
}

/** The paths of links. Mail clients and proxies may change the case of a path or add a slash at its end. */
export const LINK = /^\/(unsubscribe|confirm|alerts)(?:\/([^/]*)\/?)?$/i;
/** Maximum length of a body (bytes). Mail providers post a few hundred bytes to unsubscribe; their content is ignored. */
const LONGEST_BODY = 8_192;

const isChecked = (body: Uint8Array) => new URLSearchParams(Buffer.from(body).toString()).has('alerts');

interface LinkOptions {
  readonly database: Database;
  readonly signingKey: Uint8Array;
  readonly productName: string;
  readonly log: Log;
}

interface Link {
  readonly purpose: TokenPurpose;
  readonly reference: string;
}

async function act(
  { database, log }: LinkOptions,
  { purpose, reference }: Link,
  body: Uint8Array,
): Promise<Reply> {
  const actions = {
    unsubscribe: () => unsubscribe(database, reference),
    confirm: () => confirm(database, reference),
    alerts: () => chooseAlerts(database, reference, isChecked(body)),
  };
  try {
    const outcome = await actions[purpose]();
    if (outcome === 'unknown') return { status: 404, notice: notices.INVALID_LINKS[purpose] };
    return { status: 200, notice: notices.RESULTS[outcome] };
  } catch (error) {
    log.error('link failed', { link: purpose, ...failureFields(error) });
    return { status: 503, notice: notices.unavailableNotice(purpose), headers: { 'Retry-After': '60' } };
  }
}

/** Returns the question that a link shows. If the subscription is active, it includes the checkbox for alerts. */
async function question(
  { database, signingKey, log }: LinkOptions,
  { purpose, reference }: Link,
): Promise<Reply> {
  const notice = notices.QUESTIONS[purpose];
  if (purpose === 'confirm') return { status: 200, notice };
  try {
    const isOn = await wantsAlerts(database, reference);
    if (isOn === null) return { status: 200, notice };
    const action = `alerts/${makeToken(signingKey, 'alerts', reference)}`;
    return { status: 200, notice: { ...notice, option: { ...notices.ALERTS_OPTION, isOn, action } } };
  } catch (error) {
    // On an error, the page shows its button to unsubscribe, but not the checkbox for alerts.
    log.error('link failed', { link: purpose, ...failureFields(error) });
    return { status: 200, notice };
  }
}

/**
 * Returns the route of the links in mails. GET changes nothing, because mail scanners send it. POST acts, with any body
 * and without a cookie (RFC 8058). An invalid token is refused without a query of the database.
 */
export function linkRoute(options: LinkOptions): Route {
  const { signingKey, productName } = options;
  const readLink = (path: string) => {
    const [, name = '', token = ''] = LINK.exec(path) ?? [];
    const purpose = name.toLowerCase() as TokenPurpose;
    return { purpose, reference: readToken(signingKey, purpose, token) };
  };
  return {
    path: LINK,
    hasOwnMethods: true,
    // Mail programs unsubscribe without a cookie, so a signed link also works on a private page.
    isProven: (_request, { path }) => readLink(path).reference !== null,
    async handle(request, response, { path }) {
      const isPost = request.method === 'POST';
      if (!isPost && request.method !== 'GET' && request.method !== 'HEAD') {
        const allowed = 'GET, HEAD, POST';
        return sendText(response, 405, `This address allows ${allowed} only.`, { Allow: allowed });
      }
      const body = isPost ? await readBody(request, LONGEST_BODY) : new Uint8Array();
      if (body === null) return sendText(response, 413, 'The request is too long.', { Connection: 'close' });
      const { purpose, reference } = readLink(path);
      let reply: Reply = { status: 404, notice: notices.INVALID_LINKS[purpose] };
      if (reference !== null) {
        const link = { purpose, reference };
        reply = await (isPost ? act(options, link, body) : question(options, link));
      }
      const { status, notice, headers } = reply;
      const page = renderNotice(notice, { productName, home: homeFrom(path) });
      send(response, status, { ...NOTICE_HEADERS, ...headers }, page);
    },
  };
}
