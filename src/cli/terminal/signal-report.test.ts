import { describe, expect, it } from 'vitest';
import type { Issue } from '#mailer/decide/ledger.ts';
import type { Decided } from '#mailer/decide/signal-schedule.ts';
import type { SendReport } from '#mailer/deliver/send-due.ts';
import { describeSignal, isWrong } from './signal-report.ts';

const NEXT = Date.parse('2026-11-28T14:00:00Z');
const ISSUE: Issue = {
  id: 1,
  week: '2026-11-16',
  status: 'issued',
  reason: null,
  decidedAt: Date.parse('2026-11-21T14:00:00Z'),
  session: '2026-11-20',
  verdict: 'HOLD',
  score: 54,
};
const WITHHELD: Issue = { ...ISSUE, status: 'withheld', reason: 'It is stale.', verdict: null, score: null };
const NOTHING: SendReport = {
  sent: 0,
  refused: 0,
  later: 0,
  expired: 0,
  left: 0,
  nextDueAt: null,
  away: null,
  problems: [],
};
const told = (decided: Decided, report: Partial<SendReport> = {}, outbox: string | null = null) => {
  const sent = { decided, report: { ...NOTHING, ...report }, outbox };
  return { lines: describeSignal(sent).split('\n'), isWrong: isWrong(sent) };
};
const isNew = { state: 'new', issue: ISSUE, nextAt: NEXT } as const;

describe('what "signal send" says', () => {
  it('of a signal it issued and sent', () => {
    expect(told(isNew, { sent: 1200, refused: 1, expired: 2 })).toEqual({
      lines: [
        'The signal of the week of Mon 16 Nov 2026 was issued: HOLD 54.0.',
        '1,200 mails sent, 1 mail refused for good and 2 mails given up as too old.',
      ],
      isWrong: false,
    });
    expect(told(isNew, { sent: 1 }, '/data/outbox').lines[1]).toBe(
      '1 mail written into /data/outbox, for SMTP_URL is not set.',
    );
  });

  it('of one that stands already, and where none is due', () => {
    expect(told({ ...isNew, state: 'existing' })).toEqual({
      lines: [
        'The signal of the week of Mon 16 Nov 2026 was issued on Sat 21 Nov 2026, 09:00 New York time: HOLD 54.0. The next one falls due on Sat 28 Nov 2026, 09:00 New York time.',
        'No mail was sent.',
      ],
      isWrong: false,
    });
    expect(told({ state: 'none', nextAt: NEXT })).toEqual({
      lines: [
        "No signal is due. The next one falls due on Sat 28 Nov 2026, 09:00 New York time. With --now this week's is issued at once.",
        'No mail was sent.',
      ],
      isWrong: false,
    });
  });

  it('of one that is withheld', () => {
    expect(told({ ...isNew, issue: WITHHELD })).toEqual({
      lines: [
        'The signal of the week of Mon 16 Nov 2026 was withheld, and nothing of it is sent. It is stale. The next one falls due on Sat 28 Nov 2026, 09:00 New York time.',
        'No mail was sent.',
      ],
      isWrong: true,
    });
  });

  it('where there is nothing to decide it from', () => {
    expect(
      told({ state: 'waiting', week: '2026-11-23', reason: 'There are no rows.', nextAt: NEXT }),
    ).toEqual({
      lines: [
        'No signal was issued. There are no rows. The next one falls due on Sat 28 Nov 2026, 09:00 New York time.',
        'No mail was sent.',
      ],
      isWrong: true,
    });
  });

  it('of mails that are left', () => {
    const left = { left: 3, nextDueAt: Date.parse('2026-11-21T14:01:00Z') };
    expect(told(isNew, { sent: 2, later: 3, ...left }).lines[2]).toBe(
      '3 mails wait to be sent, 3 of them put off just now, the next from Sat 21 Nov 2026, 09:01 New York time on: a server that runs sends them, or "signal send" once more.',
    );
    expect(told(isNew, left).lines[2]).toMatch(
      /^3 mails wait to be sent, or are being sent by another process/,
    );
    expect(told(isNew, { ...left, left: 1 }).lines[2]).toMatch(
      /^1 mail waits to be sent, or is being sent by another process/,
    );
    const away = told(isNew, { away: 'The mail server is unreachable.', ...left });
    expect(away.lines.slice(1, 3)).toEqual(['No mail was sent.', 'The mail server is unreachable.']);
    expect(away.isWrong).toBe(true);
  });
});
