import type { IncomingMessage } from 'node:http';
import type { Database } from '#database/port.ts';
import {
  MAIL_SERVICES,
  type MailService,
  type MailWebhook,
  readCall,
} from '#mailer/reports/mail-services.ts';
import { LONGEST_REPORT, type ProcessedReport, processEvents } from '#mailer/reports/process-report.ts';
import type { Sns } from '#mailer/reports/sns.ts';
import { fullAfter } from '../http/rate-limit.ts';
import { type BodyPool, readBody } from '../http/read-body.ts';
import { type Headers, sendText } from '../http/response.ts';
import type { ReportHandler } from '../jobs/mail-reports.ts';
import { failureFields, type Log } from '../log.ts';
import type { RunMetrics } from '../metrics/counters.ts';
import { bearerToken, isSameKey } from '../public-key.ts';
import type { Route } from './routes.ts';

/** Path for the bounces and complaints that mail servers post. Mail services post to paths below it. */
const REPORT_PATH = '/mail/reports';

/** Number of reports per second from all senders. */
const PER_SECOND = 20;
/** Memory (bytes) for the bodies of calls that are not verified yet. */
const UNVERIFIED_BYTES = 32 * 1024 * 1024;

type Refusal = { readonly status: number; readonly text: string; readonly headers?: Headers };
type RequestHeaders = IncomingMessage['headers'];

interface Intake {
  readonly path: string;
  /** Maximum length of a body (bytes). */
  readonly longest: number;
  /** Examines the headers before the body is read. Returns null to read it. */
  examine(headers: RequestHeaders): Refusal | null;
  /** Verifies a body. Returns a function that stores its reports and returns their results in words. */
  verify(raw: Uint8Array, headers: RequestHeaders): Promise<Refusal | (() => Promise<string>)>;
}

const reportLines = (taken: readonly ProcessedReport[]): string =>
  taken.map(({ kind, result }) => `${kind}: ${result}`).join('\n');
const LATER = { 'Retry-After': '60' };
const unavailable: Refusal = {
  ...{ status: 503, headers: LATER },
  text: 'The report cannot be stored at the moment. Send it again in a minute.',
};

/** Returns a route for reports in the body of a POST. Responds 503 while the database is unavailable. */
function intakeRoute({ path, longest, examine, verify }: Intake, elapsed: () => number, log: Log): Route {
  let fullAt = 0;
  const pool: BodyPool = { free: UNVERIFIED_BYTES };

  const isProven: Route['isProven'] = ({ method, headers }) => method === 'POST' && examine(headers) === null;

  const handle: Route['handle'] = async (request, response) => {
    const refuse = ({ status, text, headers = {} }: Refusal) =>
      sendText(response, status, text, { ...headers, Connection: 'close' });
    if (request.method !== 'POST') {
      return sendText(response, 405, 'This address allows POST only.', { Allow: 'POST' });
    }
    const fault = examine(request.headers);
    if (fault !== null) return refuse(fault);
    const raw = await readBody(request, longest, pool);
    if (raw === null)
      return refuse({ status: 413, text: `The body is too long. Send at most ${longest} bytes.` });
    try {
      const store = await verify(raw, request.headers);
      if (typeof store !== 'function') return refuse(store);
      const next = fullAfter(fullAt, elapsed(), PER_SECOND);
      if (next === null) {
        const text = 'There are too many reports. Send this one again in a minute.';
        return refuse({ status: 429, text, headers: LATER });
      }
      fullAt = next;
      sendText(response, 200, await store());
    } catch (error) {
      log.error('mail report failed', failureFields(error));
      refuse(unavailable);
    }
  };
  return { path, hasOwnMethods: true, isProven, handle };
}

/** True if the Content-Type of a request allows a mail report. Some mail servers send no Content-Type. */
const isMail = (headers: RequestHeaders): boolean =>
  /^(?:message\/rfc822|message\/global)\s*(?:;|$)/i.test(headers['content-type'] ?? 'message/rfc822');

interface RouteOptions {
  /** Returns the time of a monotonic clock (ms). */
  readonly elapsed: () => number;
  readonly log: Log;
}

interface ReportOptions extends RouteOptions {
  readonly token: string;
  readonly handle: ReportHandler;
}

/** Returns the route of reports that are raw mails, from a sender with the bearer token. */
export function reportRoute({ token, handle, elapsed, log }: ReportOptions): Route {
  const intake: Intake = {
    path: REPORT_PATH,
    longest: LONGEST_REPORT,
    examine(headers) {
      const given = bearerToken(headers.authorization);
      if (given === undefined || !isSameKey(given, token)) {
        const text = 'The token is missing or wrong. Send MAIL_BOUNCE_TOKEN as a bearer token.';
        return { status: 401, text, headers: { 'WWW-Authenticate': 'Bearer' } };
      }
      return isMail(headers) ? null : { status: 415, text: 'Send the raw mail as message/rfc822.' };
    },
    verify: async (raw) => async () => reportLines([await handle(raw)]),
  };
  return intakeRoute(intake, elapsed, log);
}

const WRONG_SECRET = 'The call is not signed with the secret in MAIL_WEBHOOKS. Check both sides.';
const REFUSALS = {
  forged: { status: 401, text: WRONG_SECRET },
  'too old': { status: 401, text: 'The call is too old, or its sender has a wrong clock.' },
  malformed: { status: 400, text: 'The body is not an event in the JSON of this mail service.' },
} as const;

interface WebhookOptions extends RouteOptions {
  readonly webhooks: readonly MailWebhook[];
  readonly sns: Sns;
  readonly database: Database;
  readonly metrics: Pick<RunMetrics, 'countReport'>;
  readonly now: () => number;
}

/** Returns the routes of the webhooks that mail services call, such as /mail/reports/postmark. */
export function mailWebhookRoutes(options: WebhookOptions): Route[] {
  const { webhooks, sns, database, metrics, now, elapsed, log } = options;
  return webhooks.map((webhook) => {
    const service: MailService = MAIL_SERVICES[webhook.service];
    const intake: Intake = {
      path: `${REPORT_PATH}/${webhook.service}`,
      longest: service.longest,
      examine: (headers) => (service.admits(headers, webhook.secret) ? null : REFUSALS.forged),
      async verify(raw, headers) {
        const body = Buffer.from(raw).toString();
        const read = await readCall(webhook, { headers, body }, { sns, now: now() });
        if (typeof read === 'string') return REFUSALS[read];
        if (read.length === 0) return async () => 'There is no bounce and no complaint.';
        return async () => {
          const options = { service: webhook.service, hasToken: service.hasToken === true, now: now() };
          const processed = await processEvents(database, read, options);
          for (const report of processed) metrics.countReport(report);
          return reportLines(processed);
        };
      },
    };
    return intakeRoute(intake, elapsed, log);
  });
}
