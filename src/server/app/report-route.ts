import type { IncomingMessage } from 'node:http';
import { LONGEST_REPORT } from '#mailer/reports/take-report.ts';
import { readBody } from '../http/read-body.ts';
import type { Headers } from '../http/resource.ts';
import { sendText } from '../http/send.ts';
import type { TakeReport } from '../jobs/mail-reports.ts';
import { failureFields, type Log } from '../log.ts';
import { bearerToken, isSameKey } from '../public-key.ts';
import type { Route } from './routes.ts';

/** Path for the bounces and complaints that mail servers post. */
const REPORT_PATH = '/mail/reports';

/**
 * Number of reports per second that may arrive continuously, and number of reports that may arrive at the same time.
 */
const PER_SECOND = 20;
const AT_ONCE = 200;

export interface ReportSource {
  readonly token: string;
  readonly take: TakeReport;
  /** Returns the time of a monotonic clock (ms). */
  readonly elapsed: () => number;
}

/** True if the Content-Type of a request allows a mail report. Some mail servers send no Content-Type. */
const isMail = ({ headers }: IncomingMessage): boolean =>
  /^(?:message\/rfc822|message\/global)\s*(?:;|$)/i.test(headers['content-type'] ?? 'message/rfc822');

/**
 * Returns the route of reports, which are raw mails in the body of a POST with a bearer token. Responds 200 with the
 * kind and the result, 401 to a wrong token, 413 to a long body, 429 over the rate, and 503 while the database is
 * unavailable.
 */
export function reportRoute({ token, take, elapsed }: ReportSource, log: Log): Route {
  let free = AT_ONCE;
  let countedAt = elapsed();

  /** Takes the token of one request from the bucket. Returns false if the bucket is empty. */
  function mayProceed(): boolean {
    const now = elapsed();
    free = Math.min(AT_ONCE, free + ((now - countedAt) / 1_000) * PER_SECOND);
    countedAt = now;
    if (free < 1) return false;
    free -= 1;
    return true;
  }

  const handle: Route['handle'] = async (request, response) => {
    const reply = (status: number, text: string, headers: Headers = {}) =>
      sendText(request, response, status, text, headers);
    const refuse = (status: number, text: string, headers: Headers = {}) =>
      reply(status, text, { ...headers, Connection: 'close' });
    if (request.method !== 'POST') return reply(405, 'This address allows POST only.', { Allow: 'POST' });
    const given = bearerToken(request.headers.authorization);
    if (given === undefined || !isSameKey(given, token)) {
      return refuse(401, 'The token is missing or wrong. Send MAIL_BOUNCE_TOKEN as a bearer token.', {
        'WWW-Authenticate': 'Bearer',
      });
    }
    if (!mayProceed()) {
      return refuse(429, 'There are too many reports. Send this one again in a minute.', {
        'Retry-After': '60',
      });
    }
    if (!isMail(request)) return refuse(415, 'Send the raw mail as message/rfc822.');
    const raw = await readBody(request, LONGEST_REPORT);
    if (raw === null) return refuse(413, `The mail is too long. Send at most ${LONGEST_REPORT} bytes of it.`);
    try {
      const { kind, result } = await take(raw);
      reply(200, `${kind}: ${result}`);
    } catch (error) {
      log.error('mail report failed', failureFields(error));
      reply(503, 'The report cannot be stored at the moment. Send it again in a minute.', {
        'Retry-After': '60',
      });
    }
  };
  return { path: REPORT_PATH, hasOwnMethods: true, handle };
}
