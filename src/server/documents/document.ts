import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '#database/port.ts';
import type { GapCount } from '#views/quality-view.ts';
import type { RightsView } from '#views/rights-view.ts';
import type { Loaded } from '#web/app/dependencies.ts';
import DOCUMENT_STYLE from '#web/documents/document.css?inline';
import { THEME_SCRIPT } from '#web/documents/document-page.tsx';
import { fileHeaders } from '../http/page-files.ts';
import type { Resource } from '../http/response.ts';
import { documentHeaders, hashSource } from '../http/security-headers.ts';
import { failureFields, type Log } from '../log.ts';
import { CARD_PATH, type Card } from '../page/card/card.ts';
import { TooManyWaiting } from '../queue.ts';
import type { Tables } from '../rest/exposed-tables.ts';
import { type CacheOptions, type Served, secondsBetween, type Versioned, WAIT_MS } from './cached-value.ts';

export interface Asked {
  readonly path: string;
  readonly query: string;
  /** Returns the network of the client. Clients take turns for documents that take long to build. */
  readonly client: () => string;
}

export interface Document {
  /** A path, or the pattern of the paths of many documents. */
  readonly path: string | RegExp;
  /** True if pages of any site may read it. */
  readonly isOpen?: boolean | undefined;
  /** True if the response has no Connection header, to fit into fewer packets. */
  readonly isLean?: boolean;
  /** Returns the document; null if there is none at this path. Rejects if it cannot be built at the moment. */
  readonly serve: (asked: Asked) => Promise<Served | null>;
}

/** Renders the page with its data, or without data for as long as there is none. */
interface Renderer {
  readonly render: (data: Loaded, gaps?: GapCount) => Promise<Resource>;
  readonly shell: () => Promise<Resource>;
}

export interface DocumentParts extends CacheOptions {
  readonly database: Database;
  readonly tables: Tables;
  readonly renderer: Renderer;
  readonly productName: string;
  /** The address of the dashboard, with a slash at its end. */
  readonly home: string;
  /** Secret of the installation. The ids of the feeds are made from it. */
  readonly signingKey: Uint8Array;
  readonly draw: (card: Card) => Promise<Buffer>;
  readonly log: Log;
  /** The rights sheet; null if everything is shown at once. */
  readonly rights?: RightsView | null | undefined;
  /** Number of sessions after which a session is published; 0 by default. */
  readonly publishDelay?: number | undefined;
  /** False if the documents become files, which have no address that needs a server; true by default. */
  readonly hasServer?: boolean | undefined;
}

export interface DocumentSource<Input, Content, A = Asked> {
  readonly path: string | RegExp;
  readonly isOpen?: boolean;
  /** Returns the data that the document is made from. */
  readonly input: () => Versioned<Input> | Promise<Versioned<Input>>;
  /** Returns the name under which a document of a pattern is stored; by default the first group of the pattern. */
  readonly nameOf?: (asked: A) => string;
  /** Returns the plain data that the document shows. */
  readonly content: (input: Input, name: string) => Content;
  readonly build: (content: Content, asked: A) => Promise<Resource>;
}

interface Entry {
  /** JSON of the content. */
  readonly key: string;
  readonly resource: Promise<Resource>;
  /** Resolves when a request waits no longer for the build, if there is a last version to serve. */
  readonly late: Promise<null>;
  /** Time of the failure of the build (epoch ms). */
  failedAt: number | null;
  /** The round in which the content was last compared with the input. */
  round: number;
  /** The last built resource, and the time at which it was last known to be current (epoch ms). */
  last: { readonly value: Resource; readonly at: number } | null;
}

export const THEME_SOURCE = hashSource(THEME_SCRIPT);
export const DOCUMENT_HEADERS = documentHeaders(DOCUMENT_STYLE, [THEME_SOURCE]);
export const SCRIPTED_HEADERS = documentHeaders(DOCUMENT_STYLE, [THEME_SOURCE, "'self'"]);

export const CARD_HEADERS = { ...fileHeaders(CARD_PATH), 'Cache-Control': 'public, max-age=300' } as const;

const RETRY_MS = 5_000;
const MINUTE = 60_000;
/** Maximum number of stored documents for one pattern. */
const MOST_KEPT = 100;

/**
 * Creates a document, built at its first request, because a share image takes 0.4 s and 70 MB. For another input or in
 * another minute, because it may show the age of the data, it is built again if its content has changed. If that fails,
 * which is logged, or takes longer than `waitMs`, the last one is served with its age.
 */
export function createDocument<Input, Content, A extends Asked = Asked>(
  source: DocumentSource<Input, Content, A>,
  { now, log, waitMs = WAIT_MS }: Pick<DocumentParts, 'now' | 'log' | 'waitMs'>,
) {
  const { path, isOpen, input, content, build } = source;
  const groupIn = (asked: A) => (typeof path === 'string' ? '' : (path.exec(asked.path)?.[1] ?? ''));
  const { nameOf = groupIn } = source;
  const entries = new Map<string, Entry>();
  let lastInput: WeakRef<Versioned<Input>> | null = null;
  let lastMinute = 0;
  /** Increases with each other input and minute. */
  let round = 0;

  function begin(name: string, shown: Content, key: string, asked: A): Entry {
    if (entries.size >= MOST_KEPT && !entries.has(name)) {
      // Otherwise requests during an outage would replace the last versions that it needs.
      const failed = [...entries].find(([, each]) => each.failedAt !== null && each.last === null);
      const [oldest] = entries.keys();
      entries.delete(failed?.[0] ?? oldest ?? '');
    }
    const last = entries.get(name)?.last ?? null;
    // A build that throws fails like one that rejects.
    const resource = new Promise<Resource>((resolve) => resolve(build(shown, asked)));
    const late = delay(waitMs, null, { ref: false });
    const entry: Entry = { key, resource, late, failedAt: null, round, last };
    entries.set(name, entry);
    const forget = () => {
      if (entries.get(name) === entry) entries.delete(name);
    };
    resource.then(
      ({ status }) => {
        if (status >= 400) forget();
      },
      (error: unknown) => {
        const isRefused = error instanceof TooManyWaiting;
        if (isRefused && last === null) forget();
        else entry.failedAt = now();
        // A failure without a last version rejects the request, whose route logs it.
        if (!isRefused && last !== null)
          log.error('document failed', { path: asked.path, ...failureFields(error) });
      },
    );
    return entry;
  }

  function currentEntry({ value }: Versioned<Input>, asked: A): Entry {
    const name = nameOf(asked);
    const entry = entries.get(name);
    // Uses the absolute value, because the clock may have been set back since the failure.
    const mayRetry = entry?.failedAt != null && Math.abs(now() - entry.failedAt) >= RETRY_MS;
    if (entry?.round === round && !mayRetry) return entry;
    const shown = content(value, name);
    const key = JSON.stringify(shown);
    if (entry?.key !== key || mayRetry) return begin(name, shown, key, asked);
    entry.round = round;
    return entry;
  }

  async function serve(asked: A): Promise<Served> {
    const version = await input();
    const minute = Math.floor(now() / MINUTE);
    if (minute !== lastMinute || lastInput?.deref() !== version) {
      lastInput = new WeakRef(version);
      lastMinute = minute;
      round += 1;
    }
    const entry = currentEntry(version, asked);
    const { last } = entry;
    const built = entry.resource.then((value): Served => {
      if (version.age === null) entry.last = { value, at: now() };
      return { value, age: version.age };
    });
    if (last === null) return built;
    const before: Served = { value: last.value, age: () => secondsBetween(last.at, now()) };
    return Promise.race([built, entry.late.then(() => before)]).catch(() => before);
  }

  return { path, isOpen, serve };
}
