import { marketDay } from '#domain/calendar/sessions.ts';
import type { DashboardRows } from '#schema/dashboard.ts';

/**
 * True if a missing put/call ratio is not published yet: the options exchange publishes it hours after the close. If it was
 * missing a week ago too, no provider has it.
 */
export function putCallDue({ indicators, weekAgo }: DashboardRows, now: number): boolean {
  if (indicators === null || indicators.put_call_ratio !== null || indicators.source !== 'live') return false;
  if (weekAgo.indicators?.put_call_ratio === null) return false;
  return marketDay(Date.parse(indicators.created_at)) === marketDay(now);
}
