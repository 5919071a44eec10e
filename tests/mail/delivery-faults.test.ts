import { beforeEach, describe, expect, it } from 'vitest';
import { addresses } from '#tests/support/deliveries.ts';
import { mailRunsOfTheseTests } from '#tests/support/mail-runs.ts';
import { startSmtp } from '#tests/support/smtp.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
/** Short timeouts, longer at each retry of a test, because a busy machine may be slow itself. */
const shortTimeouts = (tries: number) => {
  const idle = 400 * 5 ** tries;
  return { connect: 10_000, greeting: idle, idle, mail: 2 * idle };
};

const runs = mailRunsOfTheseTests();
const { query, issue, issueTo, send, stored, received } = runs;

/** Sends this many issues, the first of which is due. Returns the reports. */
async function sendIssues(count: number) {
  const reports = [await send()];
  while (reports.length < count) {
    await issue();
    reports.push(await send());
  }
  return reports;
}

describe('a mail server that refuses mail temporarily', () => {
  it.each([
    ['421 at the greeting', { at: 'greeting', what: '421 4.3.2 Not now' }, '421 4.3.2'],
    ['421 at a recipient', { at: 'recipient', what: '421 4.7.0 Too many' }, '421 4.7.0'],
    ['554 at the greeting', { at: 'greeting', what: '554 5.7.1 Not you' }, '554 5.7.1'],
    ['450 for the sender', { at: 'sender', what: '450 4.7.1 Not yet' }, '450 4.7.1'],
  ] as const)('ends the run without a counted try: %s', async (_, fault, reply) => {
    await issueTo(...addresses(12));
    runs.server.faults = [fault];
    const report = await send();
    expect(report).toMatchObject({ sent: 0, refused: 0, later: 0, expired: 0, left: 12, problems: [] });
    expect(report.unavailable).toContain(`(${reply})`);
    expect(runs.server.connections).toBeLessThanOrEqual(2 * runs.connections());
    expect(new Set((await stored()).map(({ status, attempts }) => `${status} ${attempts}`))).toEqual(
      new Set(['pending 0']),
    );

    runs.server.faults = [];
    runs.now += MINUTE;
    expect(await send()).toMatchObject({ sent: 12, left: 0, nextDueAt: null, unavailable: null });
    expect(received()).toEqual(addresses(12).sort());
  });

  it('gets the mails over the remaining connections if it rejects some connections', async () => {
    await issueTo(...addresses(20));
    runs.server.faults = [{ at: 'greeting', what: '421 4.7.0 Too many connections', times: 2 }];
    expect(await send()).toMatchObject({ sent: 18, left: 2 });
    runs.now += MINUTE;
    expect(await send()).toMatchObject({ sent: 2, left: 0, unavailable: null });
    expect(received()).toEqual(addresses(20).sort());
  });

  it('is reported without the login if it refuses the login', async () => {
    await runs.restart({
      login: { user: 'operator', pass: 's3cr3t!' },
      faults: [{ at: 'login', what: '535 5.7.8 operator s3cr3t!' }],
    });
    await issueTo('reader@example.com');
    const report = await send();
    expect(report.unavailable).toBe(
      'The mail server refused the login: check the user and the password in SMTP_URL (535 5.7.8).',
    );
    expect(await stored()).toMatchObject([{ status: 'pending', attempts: 0, address_refused: false }]);
    runs.server.faults = [];
    runs.now += MINUTE;
    expect(await send()).toMatchObject({ sent: 1, unavailable: null });
  });

  it('gets the mails once it is available again', async () => {
    await issueTo(...addresses(8));
    const { port } = runs.server;
    await runs.server.close();
    expect(await send()).toMatchObject({
      sent: 0,
      left: 8,
      unavailable: `The mail server cannot be reached at 127.0.0.1:${port} (ECONNREFUSED). Check SMTP_URL and the firewall.`,
    });
    runs.server = await startSmtp({ port });
    runs.now += MINUTE;
    expect(await send()).toMatchObject({ sent: 8, left: 0, unavailable: null });
    expect(received()).toEqual(addresses(8).sort());
  });
});

describe('a deferred recipient', () => {
  it.each(['450 4.2.0 Come back', '451 4.7.1 Greylisted', '452 4.2.2 Full'] as const)(
    'is retried after 1 minute, then after 2 more: %s',
    async (what) => {
      await issueTo('slow@example.com', 'quick@example.com');
      runs.server.faults = [{ at: 'recipient', what, to: 'slow@example.com', times: 2 }];
      expect(await send()).toMatchObject({ sent: 1, later: 1, left: 1, nextDueAt: runs.now + MINUTE });
      expect(await stored()).toMatchObject([
        { status: 'pending', attempts: 1, reply: what.slice(0, 9), address_refused: false },
        { status: 'sent', attempts: 1, reply: null },
      ]);
      expect(await send()).toMatchObject({ sent: 0, later: 0, left: 1 });
      runs.now += MINUTE;
      expect(await send()).toMatchObject({ later: 1, nextDueAt: runs.now + 2 * MINUTE });
      runs.now += 2 * MINUTE;
      expect(await send()).toMatchObject({ sent: 1, left: 0, unavailable: null });
      expect(received()).toEqual(['quick@example.com', 'slow@example.com']);
    },
  );

  it('expires a day after the first attempt', async () => {
    await issueTo('never@example.com');
    runs.server.faults = [{ at: 'recipient', what: '450 4.2.0 Come back' }];
    const began = runs.now;
    let tries = 0;
    let report = await send();
    for (tries = 1; report.nextDueAt !== null; tries += 1) {
      runs.now = report.nextDueAt;
      report = await send();
    }
    expect(report).toMatchObject({ expired: 1, left: 0 });
    expect(runs.now - began).toBe(DAY - 5 * MINUTE);
    expect(tries).toBe(19);
    expect(runs.server.asked).toHaveLength(19);
    expect(await stored()).toMatchObject([{ status: 'expired', attempts: 19, reply: '450 4.2.0' }]);
  });

  it('expires without an attempt two days after the issue', async () => {
    await issueTo('late@example.com');
    runs.now += 2 * DAY;
    expect(await send()).toMatchObject({ sent: 0, expired: 1, left: 0 });
    expect(runs.server.connections).toBe(0);
  });
});

describe('a refused recipient', () => {
  const states = () =>
    query('select is_active, deactivated_because from public.email_subscribers order by id');

  it('is suspended after three refused issues in a row', async () => {
    await issueTo('gone@example.com', 'there@example.com');
    runs.server.faults = [
      { at: 'recipient', what: '550 5.1.1 <gone@example.com> unknown', to: 'gone@example.com' },
    ];
    for (const week of [1, 2, 3]) {
      if (week > 1) await issue();
      expect(await send()).toMatchObject({ sent: 1, refused: 1, left: 0, unavailable: null });
      expect((await stored())[2 * week - 2]).toMatchObject({
        reply: '550 5.1.1',
        address_refused: true,
      });
      expect((await states())[0]).toEqual(
        week < 3
          ? { is_active: true, deactivated_because: null }
          : { is_active: false, deactivated_because: 'address refused' },
      );
    }
    await issue();
    expect(await send()).toMatchObject({ sent: 1, refused: 0 });

    runs.server.faults = [];
    await issueTo('gone@example.com');
    expect(await send()).toMatchObject({ sent: 2, refused: 0 });
    expect(received().filter((to) => to.startsWith('gone'))).toHaveLength(1);
  });

  it('stays suspended after a delivered confirmation mail', async () => {
    await issueTo('gone@example.com', 'there@example.com');
    await query(
      "insert into mailer.deliveries (channel, subscriber_id, status, due_at, give_up_at) select 'mail', id, 'sent', now(), now() from public.email_subscribers",
    );
    runs.server.faults = [{ at: 'recipient', what: '550 5.1.1 Unknown', to: 'gone@example.com' }];
    expect(await sendIssues(3)).toMatchObject(Array(3).fill({ refused: 1 }));
    expect((await states())[0]).toEqual({ is_active: false, deactivated_because: 'address refused' });
  });

  it.each([
    ['everybody', () => true, 0],
    ['everybody outside the domain of the server', (to: string) => to !== 'reader-0@example.com', 1],
  ])('is not suspended by a server that refuses %s, which is reported', async (_, isRefused, sent) => {
    await issueTo(...addresses(5));
    runs.server.faults = [{ at: 'recipient', what: '550 relay not permitted', to: isRefused }];
    const problem = `^The mail server refused ${5 - sent} mails and accepted ${sent}\\. .* The last reply: Message \\d+: 550\\.$`;
    const problems = [expect.stringMatching(new RegExp(problem))];
    const report = { sent, refused: 5 - sent, unavailable: null, problems };
    expect(await sendIssues(4)).toMatchObject(Array(4).fill(report));
    expect(await states()).toEqual(Array(5).fill({ is_active: true, deactivated_because: null }));
  });

  it('is not suspended as the only subscriber', async () => {
    await issueTo('gone@example.com');
    runs.server.faults = [{ at: 'recipient', what: '550 5.1.1 Unknown' }];
    expect(await sendIssues(4)).toMatchObject(Array(4).fill({ refused: 1, problems: [] }));
    expect(await states()).toEqual([{ is_active: true, deactivated_because: null }]);
  });

  it('is not suspended if a mail in between was delivered', async () => {
    await issueTo('moody@example.com', 'there@example.com');
    for (const isRefused of [true, true, false, true, true]) {
      runs.server.faults = isRefused ? [{ at: 'recipient', what: '550 No', to: 'moody@example.com' }] : [];
      await send();
      await issue();
    }
    expect((await states())[0]).toEqual({ is_active: true, deactivated_because: null });
  });

  it.each([
    ['the content', { at: 'data', what: '554 5.6.0 Looks like spam' }],
    ['a policy', { at: 'recipient', what: '550 5.7.1 No relaying' }],
    ['a full mailbox', { at: 'recipient', what: '552 5.2.2 Full' }],
  ] as const)('is not suspended for a refusal of %s', async (_, fault) => {
    await issueTo('reader@example.com', 'there@example.com');
    runs.server.faults = [{ ...fault, to: 'reader@example.com' }];
    const report = { sent: 1, refused: 1, left: 0, problems: [] };
    expect(await sendIssues(3)).toMatchObject(Array(3).fill(report));
    expect((await states())[0]).toEqual({ is_active: true, deactivated_because: null });
  });

  it('is refused without a connection if the address is invalid', async () => {
    await query('alter table public.email_subscribers disable trigger subscriber_1_normalised');
    await issueTo('a,b@example.com', '<reader>@example.com', 'reader@example.com');
    await query('alter table public.email_subscribers enable trigger subscriber_1_normalised');
    expect(await send()).toMatchObject({ sent: 1, refused: 2, left: 0 });
    expect(runs.server.asked).toEqual(['reader@example.com']);
    expect(await stored()).toMatchObject([
      { address_refused: true },
      { address_refused: true },
      { status: 'sent' },
    ]);
  });
});

describe('a mail server that does not respond', { retry: 2 }, () => {
  beforeEach(async ({ task }) => {
    const login = { user: 'operator', pass: 'secret' };
    await runs.restart({ login }, shortTimeouts(task.result?.retryCount ?? 0));
  });

  it.each(['greeting', 'login'] as const)(
    'at the %s times out, so that the next run sends the mail',
    async (at) => {
      await issueTo(...addresses(6));
      runs.server.faults = [{ at, what: 'hang', times: 1 }];
      expect(await send()).toMatchObject({ sent: 5, refused: 0, left: 1 });
      runs.now += MINUTE;
      expect(await send()).toMatchObject({ sent: 1, left: 0 });
      expect(received()).toEqual(addresses(6).sort());
    },
  );

  it('times out at any command of a mail, so that the next run sends the mail', async () => {
    await issueTo(...addresses(10));
    runs.server.faults = (['sender', 'recipient', 'data', 'taken'] as const).map((at) => ({
      at,
      what: 'hang',
      times: 1,
    }));
    expect(await send()).toMatchObject({ sent: 6, refused: 0, later: 4, left: 4, unavailable: null });
    runs.now += MINUTE;
    expect(await send()).toMatchObject({ sent: 4, left: 0 });
    expect(new Set(received()).size).toBe(10);
    // The server received one mail twice: it had accepted the mail, but its reply was lost.
    expect(runs.server.mails).toHaveLength(11);
  });

  it('ends the run if it does not accept the content of each mail', async () => {
    await issueTo(...addresses(30));
    runs.server.faults = [{ at: 'data', what: 'hang' }];
    const report = await send();
    expect(report.unavailable).toBe(
      'The mail server times out or closes the connection while it receives a mail.',
    );
    expect(report.later).toBeLessThanOrEqual(2 * runs.connections());
    expect(report.left).toBe(30);
  });

  it('times out within a reply', async () => {
    await issueTo('reader@example.com');
    runs.server.faults = [{ at: 'taken', what: 'drip', times: 1 }];
    expect(await send()).toMatchObject({ sent: 0, later: 1, left: 1 });
    runs.now += MINUTE;
    expect(await send()).toMatchObject({ sent: 1, left: 0 });
  });
});

describe('a lost connection', () => {
  it('within a mail counts as an attempt, without a second copy', async () => {
    await issueTo(...addresses(6));
    runs.server.faults = [{ at: 'data', what: 'drop', times: 1 }];
    expect(await send()).toMatchObject({ sent: 5, later: 1, left: 1, unavailable: null });
    runs.now += MINUTE;
    expect(await send()).toMatchObject({ sent: 1, left: 0 });
    expect(received()).toEqual(addresses(6).sort());
  });

  it('before the reply to a mail causes one more copy with the same Message-ID', async () => {
    await issueTo('reader@example.com');
    runs.server.faults = [{ at: 'taken', what: 'drop', times: 1 }];
    expect(await send()).toMatchObject({ sent: 0, later: 1, left: 1 });
    runs.now += MINUTE;
    expect(await send()).toMatchObject({ sent: 1, left: 0 });
    const ids = runs.server.mails.map(({ raw }) => /^Message-ID: (.+)$/im.exec(raw)?.[1]);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  it('between two mails does not delay the next one', async () => {
    await issueTo('reader@example.com');
    await send();
    const { port } = runs.server;
    await runs.server.close();
    runs.server = await startSmtp({ port });
    await issue();
    expect(await send()).toMatchObject({ sent: 1, later: 0, left: 0, unavailable: null });
  });
});

describe('a mail whose rendering fails', () => {
  it('is retried later while the others are sent', async () => {
    await issueTo(...addresses(8), 'last@example.com');
    const report = await send({
      before: async ({ recipient }) => {
        if (recipient !== 'last@example.com') throw new Error('No score.');
      },
    });
    expect(report).toMatchObject({ sent: 1, refused: 0, later: 8, left: 8, unavailable: null });
    expect(report.problems).toEqual([
      expect.stringMatching(/^Message \d+ was not sent: No score\. A retry follows\.$/),
    ]);
    expect(await send()).toMatchObject({ sent: 0, later: 0, problems: [] });
    // After the pause, the mails can be rendered, as by another process.
    runs.now += MINUTE;
    expect(await send()).toMatchObject({ sent: 8, left: 0, problems: [] });
  });
});
