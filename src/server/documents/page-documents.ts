import type { Database } from '#database/port.ts';
import { readQuality } from '#record/quality.ts';
import { readSessionRows } from '#record/session-rows.ts';
import { methodFigures, methodView } from '#views/method-view.ts';
import { qualityView } from '#views/quality-view.ts';
import { mondayOfWeek, recordView, recordWeekView } from '#views/record-view.ts';
import { methodHtml } from '#web/documents/method-page.tsx';
import { qualityHtml } from '#web/documents/quality-page.tsx';
import { noRecordHtml, recordHtml, recordWeekHtml } from '#web/documents/record-page.tsx';
import { CARD_PATH, type Card, readingCard } from '../page/card/card.ts';
import { RECORD_CARD_PATH, recordCard, weekCard } from '../page/card/record-card.ts';
import { CARD_HEADERS, createDocument, DOCUMENT_HEADERS, type Document } from './document.ts';
import { createTurns } from './in-turn.ts';
import { type Release, rowsOf } from './release.ts';
import { CURRENT_MS, createVersions, type VersionOptions, type Versions } from './versions.ts';

interface PageParts extends VersionOptions {
  readonly database: Database;
  readonly releases: Pick<Versions<Release>, 'current'>;
  readonly productName: string;
  /** The address of the dashboard, with a slash at its end. */
  readonly home: string;
  /** Draws a card as a PNG. */
  readonly draw: (card: Card) => Promise<Buffer>;
}

/** Maximum number of images of weeks that wait or are being drawn, in total and of one client. */
const WEEKS_DRAWN = { most: 20, mostPerClient: 4 } as const;
const WEEK = /^\/record\/([^/]*)$/;
const IMAGE = /\.png$/;

/** Creates the pages for readers besides the dashboard and the past days, and the share images. */
export function pageDocuments(parts: PageParts): Document[] {
  const { database, releases, watch, productName, home, draw, now, waitMs } = parts;
  const figures = createVersions({
    ...{ watch, now, waitMs },
    read: () => database.transaction(readSessionRows, { readOnly: true, role: 'anon', snapshot: true }),
    build: async (rows) => methodFigures(rows),
  });
  const quality = createVersions({
    ...{ watch, now, waitMs },
    // A new session changes the page, but not the data.
    endOf: (at) => at + CURRENT_MS,
    read: () => database.transaction((transaction) => readQuality(transaction, now()), { readOnly: true }),
    build: async (read) => qualityView(read),
  });
  const drawInTurn = createTurns(WEEKS_DRAWN);

  /** The page of a week, or its share image if the name ends with `.png`. */
  const weekIn = (release: Release, name: string) => {
    const week = name.replace(IMAGE, '');
    const found = mondayOfWeek(week);
    const view = 'problem' in found ? null : recordWeekView(rowsOf(release).record, found.monday);
    const problem = 'problem' in found ? found.problem : `The week ${week} has no decision on record.`;
    return { week, view, problem, isImage: view !== null && week !== name };
  };
  const weekPlace = (week: string) => ({
    ...{ productName, home: '../' },
    imageAddress: `${home}record/${week}.png`,
  });

  return [
    createDocument(
      {
        path: CARD_PATH,
        input: releases.current,
        content: (release: Release) => readingCard(rowsOf(release).view, productName),
        build: draw,
        headers: CARD_HEADERS,
      },
      now,
    ),
    createDocument(
      {
        path: '/record',
        input: releases.current,
        content: (release: Release) => recordView(rowsOf(release).record),
        build: async (view) =>
          recordHtml(view, { productName, home: './', imageAddress: `${home}${RECORD_CARD_PATH.slice(1)}` }),
        headers: DOCUMENT_HEADERS,
      },
      now,
    ),
    createDocument(
      {
        path: RECORD_CARD_PATH,
        input: releases.current,
        content: (release: Release) => recordCard(recordView(rowsOf(release).record), productName),
        build: draw,
        headers: CARD_HEADERS,
      },
      now,
    ),
    createDocument(
      {
        path: WEEK,
        input: releases.current,
        content: weekIn,
        async build({ week, view, problem, isImage }, client) {
          if (view === null) return noRecordHtml(problem, { productName, home: '../' });
          if (isImage) return drawInTurn(client, () => draw(weekCard(view, productName)));
          return recordWeekHtml(view, weekPlace(week));
        },
        status: ({ view }) => (view === null ? 404 : 200),
        headers: ({ isImage }) => (isImage ? CARD_HEADERS : DOCUMENT_HEADERS),
      },
      now,
    ),
    createDocument(
      {
        path: '/method',
        input: figures.current,
        content: (read) => methodView(read, now()),
        build: async (view) => methodHtml(view, productName),
        headers: DOCUMENT_HEADERS,
      },
      now,
    ),
    createDocument(
      {
        path: '/quality',
        input: quality.current,
        content: (view) => view,
        build: async (view) => qualityHtml(view, productName),
        headers: DOCUMENT_HEADERS,
      },
      now,
    ),
  ];
}
