import { isoWeekOf } from '#domain/calendar/iso-week.ts';
import type { AnchorState, LedgerAnchors } from '#schema/record-rows.ts';
import { asOf } from './day.ts';

/** The proofs that the record was not changed later. */
export interface AnchorsView {
  /** The checkpoints after the newest decision and the one before it: a title, and the signed note. */
  checkpoints: readonly { title: string; note: string }[];
  /** The places that keep checkpoints: 'Timestamp of tsa.example.com: Sat 21 Nov 2026, 9:05 New York time'. */
  places: readonly string[];
}

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

/** The view of the checkpoints and of the places that keep them. */
export function anchorsView({ checkpoints, places }: LedgerAnchors): AnchorsView {
  return {
    checkpoints: checkpoints.map(({ week, checkpoint, lines }) => ({
      title: `After the decision of ${isoWeekOf(week)}`,
      note: `${checkpoint}${lines ?? ''}`,
    })),
    places: places.map(placeText),
  };
}
