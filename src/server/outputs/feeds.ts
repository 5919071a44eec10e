import { createHmac } from 'node:crypto';
import type { FeedEntry } from '#views/outputs/feed-entries.ts';
import type { DocumentPlace } from '#web/documents/document-page.tsx';
import { escapeAttribute } from '../page/escape.ts';

/** The feeds. The id of the main feed is made from an empty name. */
export const FEEDS = {
  main: { name: '', path: 'feed' },
  grades: { name: 'grades', path: 'grades' },
} as const;

/** The content of a feed. Both formats, Atom and JSON Feed, have the same entries. */
export interface Feed {
  readonly name: string;
  /** Its address below the dashboard, without `.atom` or `.json`. */
  readonly path: string;
  readonly title: string;
  /** The age and the source of the data, in one sentence. */
  readonly description: string;
  /** ISO time of the newest entry. Without entries, the time of the data. */
  readonly updated: string;
  readonly entries: readonly FeedEntry[];
  /** The state of the data, for the additional fields of the JSON Feed. */
  readonly state: object;
}

export interface FeedPlace extends DocumentPlace {
  readonly idOf: (name: string) => string;
}

/** Returns a function that creates UUIDs (RFC 9562, version 8) from a key. Another address does not change them. */
export function feedIds(key: Uint8Array): FeedPlace['idOf'] {
  return (name) => {
    const bytes = createHmac('sha256', key).update(`feed ${name}`).digest().subarray(0, 16);
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
    const hex = bytes.toString('hex');
    const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
    return `urn:uuid:${parts.join('-')}`;
  };
}

const NOT_IN_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

export const inXml = (text: string): string =>
  escapeAttribute(text.replace(NOT_IN_XML, '')).replaceAll('>', '&gt;');

/** Converts a feed to Atom (RFC 4287). */
export function toAtom(feed: Feed, { productName, home, idOf }: FeedPlace): string {
  const address = (path: string) => inXml(home + path);
  const entries = feed.entries.map(({ name, at, title, text, path }) =>
    [
      '<entry>',
      `<id>${idOf(name)}</id>`,
      `<title>${inXml(title)}</title>`,
      `<updated>${at}</updated>`,
      `<published>${at}</published>`,
      `<link rel="alternate" type="text/html" href="${address(path)}"/>`,
      `<content type="text">${inXml(text)}</content>`,
      '</entry>',
    ].join(''),
  );
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">',
    `<id>${idOf(feed.name)}</id>`,
    `<title>${inXml(feed.title)}</title>`,
    `<subtitle>${inXml(feed.description)}</subtitle>`,
    `<updated>${feed.updated}</updated>`,
    `<author><name>${inXml(productName)}</name></author>`,
    `<link rel="self" type="application/atom+xml" href="${address(`${feed.path}.atom`)}"/>`,
    `<link rel="alternate" type="text/html" href="${address('record')}"/>`,
    `<icon>${address('icon-192.png')}</icon>`,
    ...entries,
    '</feed>\n',
  ].join('\n');
}

/** Converts a feed to JSON Feed 1.1. The additional field `_data` is the state of the data. */
export function toJsonFeed(feed: Feed, { productName, home, idOf }: FeedPlace): string {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: feed.title,
    description: feed.description,
    home_page_url: `${home}record`,
    feed_url: `${home}${feed.path}.json`,
    icon: `${home}icon-512.png`,
    language: 'en',
    authors: [{ name: productName, url: home }],
    _data: feed.state,
    items: feed.entries.map(({ name, at, title, text, path }) => ({
      id: idOf(name),
      url: home + path,
      title,
      content_text: text,
      date_published: at,
    })),
  });
}
