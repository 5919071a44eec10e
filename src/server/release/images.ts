import { fileHeaders } from '../http/client-files.ts';
import { type Resource, toResource } from '../http/resource.ts';
import { type Log, reasonOf } from '../log.ts';
import { CARD_PATH, type Card } from '../page/card/card.ts';

const HEADERS = { ...fileHeaders(CARD_PATH), 'Cache-Control': 'public, max-age=300' };
/** Between a failed drawing and the next attempt. */
const RETRY_MS = 5_000;

interface ImagesOptions {
  /** Draws a card as a PNG. */
  readonly draw: (card: Card) => Promise<Buffer>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** Returns the image of a release. Rejects, and has logged why, if it cannot be drawn. */
export type Image = () => Promise<Resource>;

/**
 * Creates the images of releases. An image is drawn at its first request, as a drawing takes 0.4 s and 70 MB, and again
 * only for a card that differs from the last one drawn.
 */
export function createImages({ draw, now, log }: ImagesOptions): (card: Card) => Image {
  let drawn: { readonly key: string; readonly image: Promise<Resource>; failedAt: number | null } | null =
    null;

  const toImage = async (card: Card) => toResource(await draw(card), HEADERS);

  return (card) => {
    let key: string | null = null;
    return () => {
      key ??= JSON.stringify(card);
      // However the clock was set since.
      const mayRetry = drawn?.failedAt != null && Math.abs(now() - drawn.failedAt) >= RETRY_MS;
      if (drawn?.key === key && !mayRetry) return drawn.image;
      const mine = { key, image: toImage(card), failedAt: null as number | null };
      mine.image.catch((error: unknown) => {
        mine.failedAt = now();
        log.error('picture failed', { reason: reasonOf(error) });
      });
      drawn = mine;
      return mine.image;
    };
  };
}
