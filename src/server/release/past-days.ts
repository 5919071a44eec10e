import type { Database } from '#database/port.ts';
import {
  isFuture,
  readDay,
  readSessionAround,
  type SessionAround,
  type StoredDay,
  sessionEvening,
  toDate,
} from '#record/days.ts';
import type { DashboardView } from '#views/model.ts';
import { pastDayView } from '#views/past-day-view.ts';
import { noDayHtml, pastDayHtml } from '#web/documents/past-day-page.tsx';
import { encode, type Headers, type Resource, toResource } from '../http/resource.ts';
import type { MarketWatch } from '../market-watch.ts';
import { type Card, readingCard } from '../page/card/card.ts';
import { DOCUMENT_HEADERS } from '../page/document-headers.ts';
import { readView, upTo } from '../page/read-view.ts';
import type { SnapshotReads } from '../page/snapshot-reads.ts';

export interface PastDayOptions {
  readonly database: Database;
  readonly inSnapshot: SnapshotReads;
  readonly watch: MarketWatch;
  readonly productName: string;
  /** The address visitors reach the server at. */
  readonly url: string;
  readonly draw: (card: Card) => Promise<Buffer>;
  /** Epoch ms. */
  readonly now: () => number;
}

/** Responds to a request for an address under `/on`. Throws TooManyDays, or the error of the database. */
export type PastDays = (path: string, query: string) => Promise<Resource>;

/** Too many requests for past days wait already. */
export class TooManyDays extends Error {}

/** Resources of one version of the data that are kept. */
const MOST_KEPT = 100;
/** Requests that wait while another page is made: days are made one at a time, beside the visitors of today's page. */
const MOST_WAITING = 20;

/** True if a path is one of past days. */
export const isDayPath = (path: string): boolean => path === '/on' || path.startsWith('/on/');

interface Page extends SessionAround {
  readonly stored: StoredDay | null;
  readonly current: DashboardView;
}

/** Creates the pages of past sessions. They are made on request, since there are too many to publish. */
export function createPastDays(options: PastDayOptions): PastDays {
  const { database, inSnapshot, watch, productName, draw, now } = options;
  const address = options.url.replace(/\/$/, '');
  const folder = `${address}/on/`;
  let version = watch.version;
  let kept = new Map<string, Resource>();
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  /** The page of the newest session with data up to a date; null if the tables begin later. */
  async function readPage(date: string): Promise<Page | null> {
    const around = await database.transaction((transaction) => readSessionAround(transaction, date, now()), {
      readOnly: true,
    });
    if (around === null) return null;
    const stored = await database.transaction((transaction) => readDay(transaction, around.session), {
      readOnly: true,
    });
    const at = stored?.publishedAt ?? sessionEvening(around.session);
    const current = await inSnapshot((send) => readView(upTo(send, around.createdAt), at, productName));
    return { ...around, stored, current };
  }

  const refused = (status: number, sentence: string, home: string) =>
    page(noDayHtml(sentence, productName, home), { 'X-Robots-Tag': 'noindex' }, status);

  const redirect = (location: string) =>
    toResource(
      Buffer.alloc(0),
      { ...DOCUMENT_HEADERS, 'Cache-Control': 'no-cache', Location: location },
      { status: 302 },
    );

  /** The date that was asked for, if this page stands in for it. */
  const standsInFor = async (session: string, asked: string | null): Promise<string | null> => {
    const date = asked === null ? null : toDate(asked);
    if (date === null || date <= session || isFuture(date, now())) return null;
    const around = await database.transaction((transaction) => readSessionAround(transaction, date, now()), {
      readOnly: true,
    });
    return around?.session === session ? date : null;
  };

  async function dayPage(date: string, parameters: URLSearchParams): Promise<Resource> {
    const found = await readPage(date);
    if (found === null)
      return refused(404, 'There is no data of this date: the history begins later.', '../');
    const { session, stored, current } = found;
    if (session !== date) return redirect(`${session}?for=${date}`);
    const other = parameters.get('with');
    const compared = other === null ? null : await comparedWith(session, other);
    if (compared !== null && 'status' in compared) return compared;
    const view = pastDayView({
      ...found,
      published:
        stored === null
          ? null
          : { at: stored.publishedAt, view: stored.view ?? current, isIntact: stored.isIntact },
      current,
      askedFor: await standsInFor(session, parameters.get('for')),
      compared,
    });
    const html = pastDayHtml(view, {
      productName,
      folder,
      first: found.first,
      last: found.newest,
    });
    return page(html, {
      'X-Robots-Tag': 'noindex',
      Link: `<${address}/>; rel="original"`,
      ...(stored !== null && { 'Memento-Datetime': new Date(stored.publishedAt).toUTCString() }),
    });
  }

  async function comparedWith(session: string, other: string) {
    const date = toDate(other);
    if (date === null || isFuture(date, now())) {
      return refused(400, 'The date to compare with is not a past date. Write it as 2026-10-05.', '../');
    }
    const found = await readPage(date);
    if (found === null) return refused(404, 'There is no data of the date to compare with.', '../');
    if (found.session === session) return refused(400, 'A session cannot be compared with itself.', '../');
    return { session: found.session, view: found.stored?.view ?? found.current };
  }

  async function image(date: string): Promise<Resource> {
    const found = await readPage(date);
    if (found?.session !== date) return refused(404, 'There is no data of this date.', '../');
    const png = await draw(readingCard(found.stored?.view ?? found.current, productName));
    return toResource(png, { ...IMAGE_HEADERS });
  }

  async function respond(path: string, query: string): Promise<Resource> {
    const parameters = new URLSearchParams(query);
    if (path === '/on' || path === '/on/') {
      const date = toDate(parameters.get('date') ?? '');
      const home = path === '/on' ? './' : '../';
      if (date === null) return refused(400, 'Choose a date, written as 2026-10-05.', home);
      return redirect(`${home}on/${date}`);
    }
    const [, name = '', ending] = /^\/on\/([^/.]*)(\.png)?$/.exec(path) ?? [];
    const date = toDate(name);
    if (date === null) return refused(404, 'This is not a date. Write it as 2026-10-05.', '../');
    if (isFuture(date, now())) return refused(404, 'This session has not closed yet.', '../');
    return ending === undefined ? dayPage(date, parameters) : image(date);
  }

  async function takeTurn(path: string, query: string): Promise<Resource> {
    if (waiting >= MOST_WAITING) throw new TooManyDays();
    waiting += 1;
    const made = last.then(() => respond(path, query));
    last = made.catch(() => undefined);
    return made.finally(() => {
      waiting -= 1;
    });
  }

  return async (path, query) => {
    if (version !== watch.version || !watch.isWatching) {
      version = watch.version;
      kept = new Map();
    }
    const key = `${path}?${query}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const target = kept;
    const resource = await takeTurn(path, query);
    // A day that is not over yet has no page now, but later.
    if (resource.status === 200) {
      const [oldest] = target.keys();
      if (target.size >= MOST_KEPT && oldest !== undefined) target.delete(oldest);
      target.set(key, resource);
    }
    return resource;
  };
}

const IMAGE_HEADERS = {
  'Content-Type': 'image/png',
  'Cache-Control': 'public, max-age=300',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
} as const;

async function page(html: string, headers: Headers, status = 200): Promise<Resource> {
  const content = Buffer.from(html);
  const encoded = await encode(content, 'quick');
  return toResource(content, { ...DOCUMENT_HEADERS, ...headers }, { status, encoded });
}
