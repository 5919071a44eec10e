import { setTimeout as delay } from 'node:timers/promises';
import { SNAPSHOT, type Transaction } from '#database/port.ts';
import { readCloses, readDashboard } from '#queries/read-dashboard.ts';
import { readsUpTo, type SendRead } from '#queries/read-rows.ts';
import { sendInto } from '#queries/read-statement.ts';
import * as days from '#record/published-days.ts';
import { dashboardView } from '#views/dashboard-view.ts';
import { writeDay } from '#views/day.ts';
import { marketClockAt } from '#views/market-hours-view.ts';
import { pastDayView } from '#views/past-day-view.ts';
import { noDayHtml, PAST_DAY_STYLE, pastDayHtml } from '#web/documents/past-day-page.tsx';
import { OUTPUT_HEADERS } from '../http/open-headers.ts';
import { compressedResource, type Headers, type Resource, toResource } from '../http/response.ts';
import { documentHeaders } from '../http/security-headers.ts';
import { readingCard } from '../page/card/card.ts';
import { createQueue } from '../queue.ts';
import type { SnapshotReads } from '../rest/read.ts';
import { type CacheOptions, secondsBetween } from './cached-value.ts';
import {
  type Asked,
  CARD_HEADERS,
  createDocument,
  DOCUMENT_HEADERS,
  type Document,
  type DocumentParts,
  THEME_SOURCE,
} from './document.ts';

interface PastDayOptions
  extends CacheOptions,
    Pick<DocumentParts, 'database' | 'productName' | 'home' | 'draw' | 'log' | 'hasServer'> {
  readonly inSnapshot: SnapshotReads;
}

/** Pause between two pages (ms), so that a client that requests many pages does not slow down the main page for others. */
const PAUSE_MS = 400;

/** Maximum number of waiting requests. The server makes one page at a time. */
const WAITING = { most: 20, mostPerClient: 4 } as const;

/** A date as the pages write it, without a line break. */
const EXAMPLE = '5\u00a0Oct\u00a02026';
const TOO_EARLY = 'There is no data of this date, because the history begins later. Choose a later date.';
const NO_DATA = 'There is no data of this date. Choose another date.';

/** Reads the newest rows as the page's view without its timeline. `at` (epoch ms) is the clock of the view; it limits no row. */
const readView = async (send: SendRead, at: number, productName: string) =>
  dashboardView(await readDashboard(send, marketClockAt(at), false), at, productName);

/** Reads the page as visitors saw it at the end of the day of its publication. Null if that was later than planned. */
export async function readPublishedPage(transaction: Transaction, session: string, productName: string) {
  const day = await days.readPublishedDay(transaction, session);
  if (day === null) return null;
  const send = sendInto(transaction, days.rowsAfter(day.id));
  return { ...day, view: await readView(send, day.publishedAt, productName) };
}

/** A resource that is read from the database and then stored. */
interface Made {
  /** The parameters that change the resource, and no others, which would need another build each. */
  readonly query: string;
  readonly make: (client: string) => Promise<Resource>;
}

/**
 * Serves the addresses at or below `/on`, on request: the sessions are too many to make them all in advance. Rejects with
 * TooManyWaiting or the error of the database if it has no last version to serve.
 */
export function servePastDays(options: PastDayOptions): Document['serve'] {
  const { database, inSnapshot, productName, home, draw, watch, hasServer = true, now } = options;
  const pause = async () => hasServer && delay(PAUSE_MS, undefined, { ref: false });
  const inTurn = createQueue({ ...WAITING, pause });

  /**
   * Reads the newest session up to a date: its page as `published`, its page as it follows from the `current` rows, and
   * the closes of the S&P 500 in the month up to it. Null if the tables begin later.
   */
  async function readPage(date: string) {
    const found = await database.transaction(async (transaction) => {
      const around = await days.readSessionAround(transaction, date, now());
      return (
        around && { around, published: await readPublishedPage(transaction, around.session, productName) }
      );
    }, SNAPSHOT);
    if (found === null) return null;
    const { around, published } = found;
    const at = published?.publishedAt ?? days.finalFrom(around.session);
    const { current, closes } = await inSnapshot(async (send) => {
      const sendUpTo = readsUpTo(send, around.createdAt);
      const current = await readView(sendUpTo, at, productName);
      return { current, closes: await readCloses(sendUpTo, marketClockAt(at)) };
    });
    return { ...around, published, current, closes };
  }

  const refused = (status: number, sentence: string, home = '../') =>
    quickly(
      noDayHtml(sentence, productName, home),
      { ...DOCUMENT_HEADERS, 'X-Robots-Tag': 'noindex' },
      status,
    );

  const redirect = (location: string) =>
    toResource(
      Buffer.alloc(0),
      { ...DOCUMENT_HEADERS, 'Cache-Control': 'no-cache', Location: location },
      { status: 302 },
    );

  /** Redirects to the session that stands for a date without one, to compare it with the same date. */
  const toSession = (session: string, date: string, other: string | null) =>
    redirect(`${session}?for=${date}${other === null ? '' : `&with=${other}`}`);

  /** Builds the page of a session. `asked` is the date that it replaces, and `other` the date to compare with. */
  async function dayPage(date: string, asked: string | null, other: string | null): Promise<Resource> {
    const found = await readPage(date);
    if (found === null) return refused(404, TOO_EARLY);
    const { session, published } = found;
    if (session !== date) return toSession(session, asked ?? date, other);
    const compared = other === null ? null : await comparedWith(session, other);
    if (compared !== null && 'status' in compared) return compared;
    const view = pastDayView({
      ...found,
      // The page of a session also stands for the days without data up to the next session.
      askedFor: asked !== null && (found.next === null || asked < found.next) ? asked : null,
      compared,
    });
    const html = pastDayHtml(view, {
      ...{ productName, folder: `${home}on/` },
      ...{ first: found.first, last: found.newest },
    });
    return quickly(html, {
      ...PAST_DAY_HEADERS,
      'X-Robots-Tag': 'noindex',
      Link: `<${home}>; rel="original"`,
      ...(published !== null && { 'Memento-Datetime': new Date(published.publishedAt).toUTCString() }),
    });
  }

  async function comparedWith(session: string, date: string) {
    const found = await readPage(date);
    if (found === null)
      return refused(404, 'There is no data of the date to compare with. Choose another date.');
    if (found.session === session)
      return refused(400, 'A session cannot be compared with itself. Choose another date.');
    return { ...found, askedFor: date };
  }

  async function image(date: string): Promise<Resource> {
    const found = await readPage(date);
    if (found?.session !== date) return refused(404, NO_DATA);
    const png = await draw(readingCard(found.published?.view ?? found.current, productName, writeDay(date)));
    return toResource(png, { ...CARD_HEADERS, 'X-Robots-Tag': 'noindex' });
  }

  /** The rows of a publication, byte for byte as in the ledger. They are read without a turn: nothing is rendered. */
  async function json(date: string, hash: string | null): Promise<Resource> {
    const text = await database.transaction(
      (transaction) => days.readPublishedText(transaction, date, hash),
      SNAPSHOT,
    );
    if (text === null) {
      const sentence = 'No rows of this session were published on its own day. See the table publications.\n';
      return toResource(
        Buffer.from(sentence),
        { ...OUTPUT_HEADERS, 'Content-Type': 'text/plain; charset=utf-8' },
        { status: 404 },
      );
    }
    return quickly(text, { ...OUTPUT_HEADERS, 'Content-Type': 'application/json; charset=utf-8' });
  }

  /** The date in `for`, if the page of `date` may replace it: a later date that is not in the future. */
  function askedFor(parameters: URLSearchParams, date: string): string | null {
    const asked = days.toDate(parameters.get('for') ?? '');
    return asked === null || asked <= date || days.isFuture(asked, now()) ? null : asked;
  }

  /** Redirects to the newest session with data. The newest one of the calendar may not be published yet. */
  async function toNewestSession(home: string): Promise<Resource> {
    const newest = days.newestClosedDay(now());
    const around = await database.transaction(
      (transaction) => days.readSessionAround(transaction, newest, now()),
      SNAPSHOT,
    );
    return redirect(`${home}on/${around?.session ?? newest}`);
  }

  /** Finds out what a request needs. Only a page or an image of a session takes a turn. */
  function wantedBy({ path, query }: Asked): Made | Resource | Promise<Resource> {
    const parameters = new URLSearchParams(query);
    if (path === '/on' || path === '/on/') {
      const [home, asked] = [path === '/on' ? './' : '../', parameters.get('date')];
      if (asked === null) return { query: '', make: () => toNewestSession(home) };
      const date = days.toDate(asked);
      if (date === null) return refused(400, `Choose a date, such as ${EXAMPLE}.`, home);
      return redirect(`${home}on/${date}`);
    }
    const [, name = '', hash = null, ending] =
      /^\/on\/([^/.]*)(?:\.([0-9a-f]{64})(?=\.json$))?(\.png|\.json)?$/.exec(path) ?? [];
    const date = days.toDate(name);
    if (date === null) return refused(404, `This is not a date. Choose one, such as ${EXAMPLE}.`);
    if (days.isFuture(date, now())) return refused(404, 'This date is not past yet. Choose an earlier date.');
    if (ending === '.json')
      return hash === null ? { query: '', make: () => json(date, null) } : json(date, hash);
    const session = days.sessionUpTo(date);
    if (ending !== undefined) {
      if (session !== date) return refused(404, NO_DATA);
      return { query: '', make: (client) => inTurn(client, () => image(date)) };
    }
    const asked = askedFor(parameters, date);
    const given = parameters.get('with');
    const other = given === null ? null : days.toDate(given);
    if (given !== null && (other === null || days.isFuture(other, now()))) {
      const sentence = `The date to compare with is invalid or not past. Choose a past date, such as ${EXAMPLE}.`;
      return refused(400, sentence);
    }
    if (session !== date) return toSession(session, asked ?? date, other);
    const kept = [asked !== null && `for=${asked}`, other !== null && `with=${other}`].filter(Boolean);
    return { query: kept.join('&'), make: (client) => inTurn(client, () => dayPage(date, asked, other)) };
  }

  const stored = createDocument<number, number, Asked & Made>(
    {
      path: /^/,
      input: () => ({
        value: watch.version,
        age: watch.isWatching ? null : () => secondsBetween(watch.knownAt, now()),
      }),
      nameOf: ({ path, query }) => `${path}?${query}`,
      content: (version) => version,
      build: (_, { make, client }) => make(client()),
    },
    options,
  );
  return async (asked) => {
    const wanted = await wantedBy(asked);
    return 'make' in wanted ? stored.serve({ ...asked, ...wanted }) : { value: wanted, age: null };
  };
}

const PAST_DAY_HEADERS = documentHeaders(PAST_DAY_STYLE, [THEME_SOURCE]);

const quickly = (text: string, headers: Headers, status = 200) =>
  compressedResource(text, headers, status, 'quick');
