import { type Resource, toResource } from '../../http/client-files.ts';
import { type Log, reasonOf } from '../../log.ts';
import { CARD_PATH, type Card } from './card.ts';

/** How long an answer stands before the data are looked at again. */
const LOOK_AGAIN_MS = { drawn: 60_000, failed: 5_000 } as const;
const CACHE_CONTROL = 'public, max-age=300';

interface CardSource {
  /** The card of the data as they are now. */
  readonly compose: () => Promise<Card>;
  /** The card as a PNG. */
  readonly draw: (card: Card) => Promise<Buffer>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Log;
}

/**
 * The picture of the current reading. However many ask, the data are read once a minute at most, and a card
 * is drawn again only when something in it has changed. Rejects as `compose` and `draw` do, which is logged once.
 */
export function latestCard({ compose, draw, now, log }: CardSource): () => Promise<Resource> {
  let drawn: { key: string; picture: Resource } | null = null;
  /** Since and until when by the clock the answer stands; one that is awaited stands at any time. */
  let held: { since: number; until: number; picture: Promise<Resource> } | null = null;

  async function look(): Promise<Resource> {
    const card = await compose();
    const key = JSON.stringify(card);
    if (drawn?.key === key) return drawn.picture;
    const picture = { ...(await toResource(CARD_PATH, await draw(card))), cacheControl: CACHE_CONTROL };
    drawn = { key, picture };
    return picture;
  }

  return () => {
    // A clock that was set back must not keep an answer for longer.
    if (held !== null && held.since <= now() && now() < held.until) return held.picture;
    const fresh = { since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY, picture: look() };
    const standFor = (time: number) => {
      fresh.since = now();
      fresh.until = fresh.since + time;
    };
    fresh.picture.then(
      () => standFor(LOOK_AGAIN_MS.drawn),
      (error: unknown) => {
        standFor(LOOK_AGAIN_MS.failed);
        log.error('picture failed', { reason: reasonOf(error) });
      },
    );
    held = fresh;
    return fresh.picture;
  };
}
