import { isoWeekOf } from '#domain/calendar/iso-week.ts';
import type { AnchorState, LedgerAnchors } from '#schema/record-rows.ts';
import { asOf } from './day.ts';

const NAMES = { git: 'Git repository', timestamp: 'Timestamp', witness: 'Witness' } as const;

function placeText({ kind, status, attempts, authority, anchoredAt }: AnchorState): string {
  const name = authority === null ? NAMES[kind] : `${NAMES[kind]}, ${authority}`;
  const newest = anchoredAt === null ? 'none yet' : asOf(new Date(anchoredAt).toISOString()).text;
  if (status === 'sent') return `${name}: ${newest}`;
  const state =
    status === 'expired'
      ? 'The newest checkpoint did not reach it'
      : attempts === 0
        ? 'The newest checkpoint is on its way'
        : 'It was not reached yet with the newest checkpoint';
  return `${name}: ${newest}. ${state}.`;
}

export function anchorsView({ checkpoints, places }: LedgerAnchors) {
  return {
    checkpoints: checkpoints.map(({ week, checkpoint, lines }) => ({
      title: `After the decision of ${isoWeekOf(week)}`,
      note: `${checkpoint}${lines ?? ''}`,
    })),
    places: places.map(placeText),
  };
}
export type AnchorsView = ReturnType<typeof anchorsView>;
