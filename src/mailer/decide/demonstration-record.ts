import { type Database, epochMs, SNAPSHOT } from '#database/port.ts';
import { readDashboard } from '#queries/read-dashboard.ts';
import { readsUpTo, type SendRead } from '#queries/read-rows.ts';
import { sendInto } from '#queries/read-statement.ts';
import { gradeDecisions } from '#record/grade-decisions.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { marketClockAt } from '#views/market-hours-view.ts';
import type { MailSettings, SignalTime } from '../mailer-settings.ts';
import { newestSignal, nextSignal, type SignalWeek } from '../week.ts';
import { decideSignalAt, readingInstant } from './decide-week.ts';
import { lastRowInstant, SIGNAL_EXPIRES_MS, withholdIfRepeated } from './signal-schedule.ts';
import { type DatedDecision, hasDecisionUpTo, recordPastDecisions } from './stored-decisions.ts';

interface DemonstrationOptions {
  readonly source: MarketSource;
  readonly settings: MailSettings;
  /** The current time (epoch ms). */
  readonly now: number;
}

/** Returns the weeks whose signal was due after `first` and not after `last` (epoch ms), ascending. */
function weeksBetween(first: number, last: number, time: SignalTime): SignalWeek[] {
  const weeks: SignalWeek[] = [];
  for (let week = nextSignal(first, time); week.at <= last; week = nextSignal(week.at, time))
    weeks.push(week);
  return weeks;
}

/** Decides each week with the rows published at its time. Leaves out the weeks before the first issued signal. */
async function decideWeeks(
  send: SendRead,
  weeks: readonly SignalWeek[],
  settings: MailSettings,
): Promise<DatedDecision[]> {
  const decisions: DatedDecision[] = [];
  for (const { week, at } of weeks) {
    const clock = marketClockAt(readingInstant(at));
    const rows = await readDashboard(readsUpTo(send, lastRowInstant(at, settings)), clock, false);
    const previous = decisions.at(-1);
    const newest = previous && { week: previous.week, ...previous.decision };
    const reading = { rows, origins: [] };
    const delay = settings.publishDelay;
    const decision = withholdIfRepeated(decideSignalAt(reading, { now: at, at, delay }), newest);
    if (decision.status === 'issued' || previous !== undefined) decisions.push({ week, decision, at });
  }
  return decisions;
}

/** Issues and grades the signals of the simulated market's past, once, except a week that may still be issued. */
export async function issueDemonstrationRecord(
  database: Database,
  { source, settings, now }: DemonstrationOptions,
): Promise<void> {
  const time = settings.signalTime;
  // A replay shows a real market. Signals that are issued afterwards for its past would be a backtest.
  if (source !== 'simulated') return;
  const last = newestSignal(now - SIGNAL_EXPIRES_MS, time);
  const decisions = await database.transaction(async (transaction) => {
    if (await hasDecisionUpTo(transaction, last.week)) return null;
    const [row] = await transaction.query<{ at: number | null }>(
      `select ${epochMs('min(created_at)')} as at
         from public.market_metrics where source = $1`,
      [source],
    );
    if (row?.at == null) return null;
    return decideWeeks(sendInto(transaction), weeksBetween(row.at, last.at, time), settings);
  }, SNAPSHOT);
  if (decisions === null) return;
  await recordPastDecisions(database, decisions);
  await gradeDecisions(database, now);
}
