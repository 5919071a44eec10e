import { sessionClose } from './sessions.ts';

/** Providers publish some values, and corrections, up to this long after the closing bell (ms). */
export const LATE_FIGURES = 4 * 3_600_000;

/** A publication of a session: 'close' in the first hours after the closing bell, 'final' from the evening on. */
export type PublicationKind = 'close' | 'final';

/** The kind of a publication of a session at an instant (epoch ms). */
export function publicationKind(session: string, at: number): PublicationKind {
  return at < sessionClose(session) + LATE_FIGURES ? 'close' : 'final';
}
