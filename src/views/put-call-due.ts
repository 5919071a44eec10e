import { marketDay } from '#domain/calendar/sessions.ts';
import type { DashboardRows } from '#schema/dashboard.ts';

/**
 * Whether a missing put/call ratio is only not published yet: the options exchange gives it hours after the close.
 * One that was missing a week ago as well is given by nobody.
 */
export function putCallDue({ indicators, weekAgo }: DashboardRows, now: number): boolean {
  if (indicators === null || indicators.put_call_ratio !== null || indicators.source !== 'live') return false;
  if (weekAgo.indicators?.put_call_ratio === null) return false;
  return marketDay(Date.parse(indicators.created_at)) === marketDay(now);
}
