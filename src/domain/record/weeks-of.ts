import { weekStart, weeksAfter } from '../calendar/iso-week.ts';
import { nextSession } from '../calendar/sessions.ts';

/** One value per session. */
export interface OfSession {
  /** `YYYY-MM-DD`. */
  readonly session: string;
}

/** The days of one ISO week, ascending. */
export interface Week<Day> {
  /** Its Monday, `YYYY-MM-DD`. */
  readonly monday: string;
  readonly days: readonly [Day, ...Day[]];
  readonly last: Day;
}

/** Weeks of days, ascending; the last day of a session counts. Leaves out a newest week without its last session. */
export function weeksOf<Day extends OfSession>(days: readonly Day[]): Week<Day>[] {
  const bySession = new Map(days.map((day) => [day.session, day]));
  const byWeek = new Map<string, [Day, ...Day[]]>();
  for (const session of [...bySession.keys()].sort()) {
    const day = bySession.get(session) as Day;
    const monday = weekStart(session);
    const week = byWeek.get(monday);
    if (week === undefined) byWeek.set(monday, [day]);
    else week.push(day);
  }
  const weeks = [...byWeek].map(([monday, own]) => ({ monday, days: own, last: own.at(-1) as Day }));
  const newest = weeks.at(-1);
  if (newest === undefined) return [];
  const isOver = weekStart(nextSession(newest.last.session)) > newest.monday;
  return isOver ? weeks : weeks.slice(0, -1);
}

/** The weeks (Mondays) without a decision between the first and the last decided one, ascending. */
export function missingWeeks(decided: readonly string[]): string[] {
  const weeks = [...new Set(decided)].sort();
  const missing: string[] = [];
  for (let week = weeks[0] ?? ''; week < (weeks.at(-1) ?? ''); week = weeksAfter(week, 1)) {
    if (!weeks.includes(week)) missing.push(week);
  }
  return missing;
}
