import type { RecordRows } from '#schema/record-rows.ts';
import { mondayOfWeek, type RecordWeekView, recordWeekView } from '#views/record-view.ts';
import { noRecordHtml, recordWeekHtml } from '#web/documents/record-page.tsx';
import { compressedResource, type Resource, toResource } from '../http/resource.ts';
import type { Card } from '../page/card/card.ts';
import { weekCard } from '../page/card/record-card.ts';
import { DOCUMENT_HEADERS } from '../page/document-headers.ts';
import { CARD_HEADERS } from './documents.ts';
import { createTurns } from './in-turn.ts';

const PATH = /^\/record\/([^/]*)$/;

const IMAGE = /\.png$/;

/** Returns the page or the share image of a week, by the last part of its path, for a client. */
export type RecordWeeks = (rows: RecordRows, name: string, client: string) => Promise<Resource>;

/**
 * Returns the last part of a path such as `/record/2026-W47`, even if no such week exists; null for a path elsewhere.
 */
export function readWeekPath(path: string): string | null {
  return PATH.exec(path)?.[1] ?? null;
}

interface RecordWeekOptions {
  readonly productName: string;
  /** The address at which visitors reach the server. */
  readonly url: string;
  readonly draw: (card: Card) => Promise<Buffer>;
}

/** Maximum number of images that wait or are being drawn. */
const MOST_DRAWN = 20;
const MOST_DRAWN_PER_CLIENT = 4;

/**
 * Creates the pages of weeks and their share images. Both are stored until the record changes. A response for an
 * address without a week is not stored. Rejects with TooManyWaiting if too many images are requested at the same time.
 */
export function createRecordWeeks({ productName, url, draw }: RecordWeekOptions): RecordWeeks {
  const kept = new WeakMap<RecordRows, Map<string, Promise<Resource>>>();
  const folder = `${url.replace(/\/$/, '')}/record/`;
  const place = { productName, home: '../' };
  const inTurn = createTurns({ most: MOST_DRAWN, mostPerClient: MOST_DRAWN_PER_CLIENT });

  function viewOf(rows: RecordRows, name: string): RecordWeekView | { readonly problem: string } {
    const week = mondayOfWeek(name);
    if ('problem' in week) return week;
    const problem = `The week ${name} has no decision on record.`;
    return recordWeekView(rows, week.monday) ?? { problem };
  }

  async function imageOf(view: RecordWeekView, client: string): Promise<Resource> {
    const png = await inTurn(client, () => draw(weekCard(view, productName)));
    return toResource(png, CARD_HEADERS);
  }

  return (rows, name, client) => {
    const pages = kept.get(rows) ?? new Map<string, Promise<Resource>>();
    kept.set(rows, pages);
    const known = pages.get(name);
    if (known !== undefined) return known;
    const week = name.replace(IMAGE, '');
    const view = viewOf(rows, week);
    if ('problem' in view) {
      return compressedResource(noRecordHtml(view.problem, place), DOCUMENT_HEADERS, 404);
    }
    const html = () => recordWeekHtml(view, { ...place, imageAddress: `${folder}${week}.png` });
    const page = week === name ? compressedResource(html(), DOCUMENT_HEADERS) : imageOf(view, client);
    pages.set(name, page);
    page.catch(() => pages.delete(name));
    return page;
  };
}
