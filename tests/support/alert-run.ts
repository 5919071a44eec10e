import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Database } from '#database/port.ts';
import { WEBHOOK_KINDS } from '#mailer/alerts/webhook-message.ts';
import type { AlertChildSettings } from './alert-child.ts';
import { type PlannedSession, planChanges } from './alert-plan.ts';
import { noise } from './bars.ts';
import { addSubscribers } from './deliveries.ts';
import { startSmtp } from './smtp.ts';

const PROCESSES = 3;
const READERS = ['one@example.com', 'two@example.com'];
const POLL_MS = 15;
const KEY = Buffer.alloc(32, 7);

/** Moments at which a process is killed: a line that it prints, or a request that it has sent. */
const MOMENTS = ['publishing', 'alerting', 'mailing', 'webhook', 'mail'] as const;
type Moment = (typeof MOMENTS)[number];
/** Moments that every session has. */
const ALWAYS = 3;

interface Options {
  readonly database: Database;
  readonly databaseUrl: string;
  /** The bundled `alert-child.ts`. */
  readonly program: string;
  readonly changes: number;
  readonly kills: number;
}

/** Result of a run. */
export interface AlertRun {
  readonly kills: number;
  /** Recorded changes, as 'session from to'. */
  readonly recorded: readonly string[];
  readonly planned: readonly string[];
  /** Pairs of a change and a channel: a webhook, or a subscriber's mailbox. */
  readonly expected: number;
  /** Expected pairs without a message. */
  readonly missing: number;
  /** Messages about no planned change, or to a subscriber who did not opt in. */
  readonly unplanned: number;
  /** Messages with a wrong signature. */
  readonly unsigned: number;
  /** Repeated calls of webhooks, each with the id of the first. */
  readonly repeatedCalls: number;
  /** Repeated mails, each with the Message-ID of the first. */
  readonly repeatedMails: number;
  /** Deliveries that are not recorded as sent. */
  readonly unfinished: number;
}

/** Webhooks of all kinds on loopback. Records the change of each call, in which `meanwhile` may take its time. */
async function startWebhooks(meanwhile: () => void) {
  const calls: { kind: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => null);
    if (body === null) return;
    calls.push({ kind: (request.url ?? '').slice(1).split('?')[0] ?? '', headers: request.headers, body });
    meanwhile();
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    calls,
    webhooks: WEBHOOK_KINDS.map((kind) => ({ kind, url: `http://127.0.0.1:${port}/${kind}?chat_id=1` })),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Starts a child process. `reach` is called with each line that it prints. */
function startChild(
  program: string,
  file: string,
  settings: AlertChildSettings,
  reach: (line: Moment) => void,
) {
  writeFileSync(file, JSON.stringify(settings));
  const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-4_000);
  });
  let isKilled = false;
  createInterface({ input: child.stdout }).on('line', (line) => reach(line as Moment));
  const ended = new Promise<void>((resolve, reject) => {
    child.once('close', (_code, by) => {
      if (by === 'SIGKILL') {
        isKilled = true;
        resolve();
      } else reject(new Error(`The process that sends alerts failed: ${errors}`));
    });
  });
  return { holder: settings.holder, kill: () => child.kill('SIGKILL'), isKilled: () => isKilled, ended };
}

/**
 * Publishes a planned market by three processes that also send its alerts, kills them at random moments, and counts the
 * messages of each channel.
 */
export async function runAlerts({
  database,
  databaseUrl,
  program,
  changes,
  kills,
}: Options): Promise<AlertRun> {
  const plan = planChanges(changes);
  const folder = mkdtempSync(join(tmpdir(), 'barometer-alerts-'));
  const clockFile = join(folder, 'clock.json');
  const random = noise(20_261_123);
  const query = (sql: string, parameters: string[] = []) =>
    database.transaction((transaction) => transaction.query<{ count: number }>(sql, parameters));
  await addSubscribers(database, [...READERS, 'weekly@example.com']);
  await query("update public.email_subscribers set alerts = email <> 'weekly@example.com'");

  let started = 0;
  let killed = 0;
  /** The moment of the next kill; null if none is due in this session. */
  let next: Moment | null = null;
  const reached = (moment: Moment, child?: Child) => {
    if (moment !== next) return;
    next = null;
    killed += 1;
    // A webhook call or a mail does not show which process sent it, so any of the processes is killed.
    (child ?? children[Math.floor(random() * children.length)])?.kill();
  };
  const hooks = await startWebhooks(() => reached('webhook'));
  const smtp = await startSmtp();
  smtp.meanwhile = () => reached('mail');

  const begin = () => {
    started += 1;
    const holder = `child-${started}-`;
    const settings = {
      ...{ databaseUrl, smtpUrl: smtp.url, webhooks: hooks.webhooks, holder, clockFile },
      signingKey: KEY.toString('base64'),
    };
    const child: Child = startChild(program, join(folder, `${holder}.json`), settings, (line) =>
      reached(line, child),
    );
    return child;
  };
  type Child = ReturnType<typeof startChild>;
  const setClock = (planned: PlannedSession) => {
    writeFileSync(`${clockFile}.new`, JSON.stringify(planned));
    renameSync(`${clockFile}.new`, clockFile);
  };
  /** Ends the claims and the lease of processes that were killed, which would last up to a minute. */
  const endClaims = async () => {
    const alive = JSON.stringify(children.map(({ holder }) => `${holder}%`));
    const isDead = (column: string) =>
      `${column} is not null and not ${column} like any (array(select json_array_elements_text($1::json)))`;
    await query(`update mailer.deliveries set claimed_until = '-infinity' where ${isDead('claimed_by')}`, [
      alive,
    ]);
    await query(`update operations.leases set held_until = '-infinity' where ${isDead('holder')}`, [alive]);
  };
  const restartKilled = () => {
    for (const [at, child] of children.entries()) {
      if (child.isKilled()) children[at] = begin();
    }
  };
  const isDone = async ({ session, rows }: PlannedSession, deliveries: number) => {
    const [row] = await database.transaction((transaction) =>
      transaction.query<{ published: number; sent: number }>(
        `select (select count(*) from archive.publications where session = $1) as published,
           (select count(*) from mailer.deliveries where status = 'sent') as sent`,
        [session],
      ),
    );
    return row !== undefined && (rows === null || row.published > 0) && row.sent >= deliveries;
  };

  const channels = hooks.webhooks.length + READERS.length;
  const first = plan[0];
  if (first === undefined) throw new Error('The plan has no session.');
  setClock(first);
  const children: Child[] = [];
  for (let at = 0; at < PROCESSES; at += 1) children.push(begin());
  let sent = 0;
  try {
    for (const [at, planned] of plan.entries()) {
      if (planned.changesFrom !== null) sent += 1;
      // Half of the kills of a session with a change come while its messages are sent.
      const moments = planned.changesFrom === null ? ALWAYS : MOMENTS.length;
      const wanted = Math.ceil((kills * (at + 1)) / plan.length);
      const draw = () => MOMENTS[Math.floor(random() * moments)] ?? null;
      next = killed < wanted ? draw() : null;
      setClock(planned);
      while (next !== null || killed < wanted || !(await isDone(planned, sent * channels))) {
        // A message of a session that is done is not sent again.
        if (next === null && killed < wanted) next = MOMENTS[Math.floor(random() * ALWAYS)] ?? null;
        if ((next === 'webhook' || next === 'mail') && (await isDone(planned, sent * channels)))
          next = 'alerting';
        // A child that fails ends the run.
        const failures = children.map(({ ended }) => ended.then(() => new Promise<never>(() => undefined)));
        await Promise.race([new Promise((resolve) => setTimeout(resolve, POLL_MS)), ...failures]);
        restartKilled();
        await endClaims();
      }
    }
  } finally {
    for (const child of children) child.kill();
    await Promise.all(children.map(({ ended }) => ended));
    await Promise.all([hooks.close(), smtp.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
  return count({ plan, kills: killed, database, calls: hooks.calls, mails: smtp.mails, channels });
}

interface Counted {
  readonly plan: readonly PlannedSession[];
  readonly kills: number;
  readonly database: Database;
  readonly calls: Awaited<ReturnType<typeof startWebhooks>>['calls'];
  readonly mails: Awaited<ReturnType<typeof startSmtp>>['mails'];
  readonly channels: number;
}

function isSigned({ headers, body }: Counted['calls'][number]): boolean {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return headers['webhook-signature'] === `v1,${createHmac('sha256', KEY).update(signed).digest('base64')}`;
}

async function count({ plan, kills, database, calls, mails, channels }: Counted): Promise<AlertRun> {
  const [recorded, [left]] = await database.transaction(async (transaction) => [
    await transaction.query<{ change: string }>(
      "select session || ' ' || from_verdict || ' ' || to_verdict as change from public.verdict_changes order by id",
    ),
    await transaction.query<{ count: number }>(
      "select count(*) as count from mailer.deliveries where status <> 'sent'",
    ),
  ]);
  const verdictOf = (score: number) => (score > 60 ? 'BUY' : score < 40 ? 'SELL' : 'HOLD');
  const planned = plan.flatMap(({ session, rows, changesFrom }) =>
    changesFrom === null ? [] : [`${session} ${changesFrom} ${verdictOf(rows?.score ?? 0)}`],
  );
  const sessions = new Set(planned.map((change) => change.slice(0, 10)));
  const sessionOf = (id: string) => id.slice(-10);
  const called = new Set(calls.map(({ kind, headers }) => `${kind} ${headers['webhook-id']}`));
  const mailed = new Set(mails.map(({ to, raw }) => `${to} ${/^Message-ID: (.*)$/im.exec(raw)?.[1]}`));
  const planless = [...called].filter((call) => !sessions.has(sessionOf(call))).length;
  const strangers = [...mailed].filter((mail) => !READERS.some((reader) => mail.startsWith(reader))).length;
  const surplus = Math.max(0, mailed.size - planned.length * READERS.length);
  const expected = planned.length * channels;
  return {
    kills,
    recorded: recorded.map(({ change }) => change),
    planned,
    expected,
    missing: Math.max(0, expected - called.size - mailed.size),
    unplanned: planless + strangers + surplus,
    unsigned: calls.filter((call) => call.kind === 'generic' && !isSigned(call)).length,
    repeatedCalls: calls.length - called.size,
    repeatedMails: mails.length - mailed.size,
    unfinished: left?.count ?? Number.NaN,
  };
}
