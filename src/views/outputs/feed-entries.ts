import { isoWeekOf } from '#domain/calendar/iso-week.ts';
import { marketOf } from '#domain/record/grade-weeks.ts';
import type { MarketSource } from '#schema/market-source.ts';
import type { IssuedSignalRow, RecordRows, SignalGradeRow, VerdictChangeRow } from '#schema/record-rows.ts';
import { asOf, writeDay } from '../day.ts';
import { countText, figureOf } from '../number.ts';
import { allWeeksText, changeText, gradeKey, signalText } from '../record-view.ts';
import { DESCRIBES } from '../signal-view.ts';

/** One entry of the feeds. An entry never changes: each grade, and each correction of a grade, is a new entry. */
export interface FeedEntry {
  /** The part of the entry's id that is unique in this installation: 'signals/2026-W47'. */
  readonly name: string;
  /** ISO instant. */
  readonly at: string;
  readonly title: string;
  /** Plain text. */
  readonly text: string;
  /** The page of the entry, relative to the dashboard: 'record/2026-W47'. */
  readonly path: string;
}

/** Maximum number of entries of a feed. Older entries stay on `/record` and in `/signals.csv`. */
export const MOST_ENTRIES = 50;

const marked = (source: MarketSource | null, title: string) =>
  marketOf(source) === 'actual' ? title : `Demo: ${title}`;

function signalEntry(week: IssuedSignalRow): FeedEntry {
  const name = isoWeekOf(week.week);
  const session = week.session === null ? 'no session' : `the session of ${writeDay(week.session)}`;
  return {
    name: `signals/${name}`,
    at: week.decided_at,
    title: marked(week.source, `Week ${name}: ${week.verdict === null ? 'no signal' : signalText(week)}`),
    text: `Decided ${asOf(week.decided_at).text} from ${session}. ${week.reason ?? DESCRIBES}`,
    path: `record/${name}`,
  };
}

/** The entry of a grade, the `number`th of its week and horizon. `allWeeks` is the mean of all weeks that had been graded then. */
function gradeEntry(
  grade: SignalGradeRow,
  week: IssuedSignalRow,
  number: number,
  allWeeks: string,
): FeedEntry {
  const name = isoWeekOf(week.week);
  const change = grade.status === 'void' ? 'void' : `S&P 500 ${changeText(grade.change_percent)}%`;
  const after = `${countText(grade.horizon_weeks, 'week')} after ${signalText(week)}`;
  const isCorrection = grade.replaces !== null;
  const days = [grade.entry_session, grade.exit_session].flatMap((day) =>
    day === null ? [] : writeDay(day),
  );
  return {
    name: `grades/${name}/${grade.horizon_weeks}/${number}`,
    at: grade.graded_at,
    title: marked(week.source, `Week ${name}, ${after}: ${change}${isCorrection ? ', corrected' : ''}`),
    text: grade.reason ?? `From the close of ${days.join(' to the close of ')}. ${allWeeks}.`,
    path: `record/${name}`,
  };
}

export const signalEntries = ({ weeks }: RecordRows) => weeks.map(signalEntry);

export function gradeEntries({ weeks, grades }: RecordRows): FeedEntry[] {
  const byMonday = new Map(weeks.map((week) => [week.week, week]));
  const counts = new Map<string, number>();
  const newest = new Map<string, SignalGradeRow>();
  return grades.flatMap((grade) => {
    const week = byMonday.get(grade.week);
    if (week === undefined) return [];
    const key = gradeKey(grade);
    const number = (counts.get(key) ?? 0) + 1;
    counts.set(key, number);
    newest.set(key, grade);
    return gradeEntry(grade, week, number, allWeeksText(weeks, newest, week, grade.horizon_weeks));
  });
}

export function verdictChangeEntry(change: VerdictChangeRow): FeedEntry {
  const { id, at, from_verdict, to_verdict, session, score, source } = change;
  return {
    name: `verdict-changes/${id}`,
    at,
    title: marked(source, `Verdict changed from ${from_verdict} to ${to_verdict}`),
    text: `The signal was ${to_verdict} at two closes in a row. At the close of ${writeDay(session)} it was ${figureOf('score', score).text} of 100. ${DESCRIBES}`,
    path: `on/${session}`,
  };
}

/** The newest entries of several lists, newest first. Among entries of the same time, the newest week comes first. */
export function newestEntries(...lists: readonly (readonly FeedEntry[])[]): FeedEntry[] {
  return lists
    .flat()
    .sort((a, b) => (a.at === b.at ? b.name.localeCompare(a.name) : a.at < b.at ? 1 : -1))
    .slice(0, MOST_ENTRIES);
}
