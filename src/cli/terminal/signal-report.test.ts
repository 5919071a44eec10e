import { describe, expect, it } from 'vitest';
import type { Decided } from '#mailer/decide/signal-schedule.ts';
import type { Issue } from '#mailer/decide/stored-decisions.ts';
import type { SendReport } from '#mailer/deliver/send-due.ts';
import { describeSignalSend, needsAction } from './signal-report.ts';

const NEXT = Date.parse('2026-11-28T14:00:00Z');
const ISSUE: Issue = {
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
  unavailable: null,
  problems: [],
};
const described = (decided: Decided, report: Partial<SendReport> = {}, outbox: string | null = null) => {
  const sent = { decided, report: { ...NOTHING, ...report }, grades: 0, outbox };
  return { lines: describeSignalSend(sent).split('\n'), needsAction: needsAction(sent) };
};
const isNew = { state: 'new', issue: ISSUE, nextStep: null, nextAt: NEXT } as const;

describe('the report of "signal send"', () => {
  it('shows the number of added grades', () => {
    const sent = { decided: isNew, report: NOTHING, grades: 2, outbox: null };
    expect(describeSignalSend(sent).split('\n').at(-1)).toBe('2 grades added to the record.');
  });

  it('shows the verdict with the number of mails', () => {
    expect(described(isNew, { sent: 1200, refused: 1, expired: 2 })).toEqual({
      lines: [
        'The signal of the week of Mon 16 Nov 2026 was issued: HOLD 54.0.',
        '1,200 mails sent, 1 mail refused permanently and 2 mails expired.',
      ],
      needsAction: false,
    });
    expect(described(isNew, { sent: 1 }, '/data/outbox').lines[1]).toBe(
      '1 mail written into /data/outbox: SMTP_URL is not set.',
    );
  });

  const NEXT_TEXT = 'The next signal falls due on Sat 28 Nov 2026, 09:00 New York time.';
  it.each<[string, Decided, string, boolean]>([
    [
      'the time of the next signal if the last one exists',
      { ...isNew, state: 'existing' },
      `The signal of the week of Mon 16 Nov 2026 was issued on Sat 21 Nov 2026, 09:00 New York time: HOLD 54.0. ${NEXT_TEXT}`,
      false,
    ],
    [
      'the time of the next signal if none is due',
      { state: 'none', nextAt: NEXT },
      `No signal is due. ${NEXT_TEXT} Use --now to issue the signal of this week now.`,
      false,
    ],
    [
      'the reason of a withheld signal with the next step',
      { ...isNew, issue: WITHHELD, nextStep: 'Run collect.' },
      `The signal of the week of Mon 16 Nov 2026 was withheld; no mail is sent. It is stale. Run collect. ${NEXT_TEXT}`,
      true,
    ],
    [
      'a reason if there are no rows to decide from',
      {
        ...{ state: 'waiting', week: '2026-11-23', nextAt: NEXT },
        ...{ reason: 'There are no rows.', nextStep: 'Run collect.' },
      },
      `No signal was issued. There are no rows. Run collect. ${NEXT_TEXT}`,
      true,
    ],
  ])('shows %s', (_, decided, line, needsAction) => {
    expect(described(decided)).toEqual({ lines: [line, 'No mail was sent.'], needsAction });
  });

  it('shows the number of unsent mails, the next attempt and the fault of the mail server', () => {
    const left = { left: 3, nextDueAt: Date.parse('2026-11-21T14:01:00Z') };
    expect(described(isNew, { sent: 2, later: 3, ...left }).lines[2]).toBe(
      '3 mails wait to be sent, 3 after a failed attempt, the next after Sat 21 Nov 2026, 09:01 New York time. A running server sends them; otherwise run "signal send" again.',
    );
    expect(described(isNew, left).lines[2]).toMatch(
      /^3 mails wait to be sent, or are being sent by another process/,
    );
    expect(described(isNew, { ...left, left: 1 }).lines[2]).toMatch(
      /^1 mail waits to be sent, or is being sent by another process/,
    );
    const unavailable = described(isNew, { unavailable: 'The mail server is unreachable.', ...left });
    expect(unavailable.lines.slice(1, 3)).toEqual(['No mail was sent.', 'The mail server is unreachable.']);
    expect(unavailable.needsAction).toBe(true);
  });
});
