import { expect, it } from 'vitest';
import { createProblems } from '#collector/problems.ts';
import { publish } from '#collector/publish/publish.ts';
import { nextSession, sessionClose } from '#domain/calendar/sessions.ts';
import { planChanges } from '#tests/support/alert-plan.ts';
import { closingRows } from '#tests/support/closing-rows.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { recordVerdictChange } from './verdict-changes.ts';

const EVENING = 5 * 3_600_000;

const { database, run } = databaseOfTheseTests();

it('records a change at the second close, but none from stale, mixed or demonstration data', async () => {
  const plan = planChanges(4);
  for (const [at, { session, rows }] of plan.entries()) {
    if (rows === null) continue;
    // Every second session is published after the next close.
    const delay = at % 2;
    const now = sessionClose(delay === 0 ? session : nextSession(session)) + EVENING;
    const { source = 'live' } = rows;
    // Publishes the same rows twice. The second time must change nothing.
    for (let time = 0; time < 2; time += 1) {
      await publish(database, [closingRows(session, rows)], {
        ...{ source, now, clock: () => now, correctsFrom: null, problems: createProblems() },
        ...{ calls: () => [], report: () => undefined, signal: new AbortController().signal },
        beforeCommit: (transaction, batches) => recordVerdictChange(transaction, batches, { now, delay }),
      });
    }
  }
  const planned = plan.filter(({ changesFrom }) => changesFrom !== null);
  expect(planned).toHaveLength(4);
  expect(
    await run('select session, from_verdict as "from", source from public.verdict_changes order by id'),
  ).toEqual(planned.map(({ session, changesFrom }) => ({ session, from: changesFrom, source: 'live' })));
  expect(
    await run('select to_verdict as verdict from archive.verdict_changes where from_verdict is null'),
  ).toEqual([{ verdict: 'HOLD' }]);
});
