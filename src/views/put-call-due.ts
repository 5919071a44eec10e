import { marketDay } from '#domain/calendar/sessions.ts';
import type { AdvancedIndicatorsRow } from '#schema/advanced-indicators.ts';

/** Whether a missing put/call ratio is only not published yet: the options exchange gives it hours after the close. */
export function putCallDue(row: AdvancedIndicatorsRow | null, now: number): boolean {
  if (row === null || row.put_call_ratio !== null || row.source !== 'live') return false;
  return marketDay(Date.parse(row.created_at)) === marketDay(now);
}
