import { beforeEach, describe, expect, it } from 'vitest';
import { FULL } from '#tests/support/dashboard-rows.ts';
import { recordOf } from '#tests/support/record-rows.ts';
import { dashboardView } from '#views/dashboard-view.ts';
import { createLog } from '../log.ts';
import type { ReleaseRows } from './build-release.ts';
import { createDocument, createDocuments, type Document } from './documents.ts';

const HEADERS = { 'Content-Type': 'text/plain' };

let failure: Error | null;
let time: number;
let builds: number;
let logged: string[];
let text: Document;

/** Rows with a verdict, which is all that the document of these tests shows. */
const rowsOf = (verdict: string, at = 0) =>
  ({
    view: { age: null, signal: { verdict } },
    responses: new Map(),
    at,
    until: at,
  }) as unknown as ReleaseRows;

const tools = () => ({
  now: () => time,
  log: createLog({ write: (line) => logged.push(line), clock: () => 0, format: 'json' }),
});

beforeEach(() => {
  failure = null;
  time = 0;
  builds = 0;
  logged = [];
  [, text] = createDocument(
    {
      path: '/verdict.txt',
      headers: HEADERS,
      content: ({ view }) => view.signal.verdict,
      build: async (verdict) => {
        builds += 1;
        if (failure !== null) throw failure;
        return `${verdict} `.repeat(1_000);
      },
    },
    tools(),
  );
});

describe('a document of a release', () => {
  it('is built at its first request, once for all requests', async () => {
    const rows = rowsOf('HOLD');
    const all = await Promise.all(Array.from({ length: 500 }, () => text(rows)));
    expect([new Set(all).size, builds]).toEqual([1, 1]);
    expect(all[0]?.content.toString()).toContain('HOLD');
    expect(all[0]?.headers).toMatchObject(HEADERS);
  });

  it('is built again only if its content differs', async () => {
    const first = await text(rowsOf('HOLD', 1));
    expect(await text(rowsOf('HOLD', 2))).toBe(first);
    const second = await text(rowsOf('BUY', 3));
    expect(second.content.toString()).toContain('BUY');
    expect(second.tag).not.toBe(first.tag);
    expect(builds).toBe(2);
  });

  it('is compressed if it is text', async () => {
    expect((await text(rowsOf('HOLD'))).br?.length).toBeLessThan(100);
    const [, bytes] = createDocument(
      { path: '/a.png', headers: {}, content: () => null, build: async () => Buffer.alloc(2_000) },
      tools(),
    );
    expect((await bytes(rowsOf('HOLD'))).br).toBeNull();
  });

  it('is built again five seconds after a failure, also when the clock was set back', async () => {
    time = 3_600_000;
    failure = new Error('no memory');
    const rows = rowsOf('SELL');
    await expect(text(rows)).rejects.toThrow('no memory');
    time += 4_999;
    await expect(text(rows)).rejects.toThrow('no memory');
    expect(builds).toBe(1);
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'error', event: 'document failed', path: '/verdict.txt', reason: 'no memory' },
    ]);
    failure = null;
    time = 0;
    expect((await text(rows)).content.toString()).toContain('SELL');
  });
});

/** Documents that record what they draw. */
function drawing() {
  const drawn: string[] = [];
  const documents = createDocuments({
    ...tools(),
    productName: 'Kompass',
    url: 'https://market.example/base/',
    draw: async ({ node }) => {
      drawn.push(JSON.stringify(node));
      return Buffer.from('image');
    },
  });
  return { documents, drawn };
}

describe('the share image of the record', () => {
  it('is named on its page and drawn from the rows of the release', async () => {
    const { documents, drawn } = drawing();
    const view = dashboardView(FULL, Date.parse('2026-11-13T22:00:00Z'));
    const rows = { view, record: recordOf(12) } as unknown as ReleaseRows;
    const page = await documents.get('/record')?.(rows);
    expect(page?.content.toString()).toContain(
      '<meta property="og:image" content="https://market.example/base/record.png"/>',
    );
    const image = await documents.get('/record.png')?.(rows);
    expect(image?.headers['Content-Type']).toBe('image/png');
    expect(drawn).toEqual([expect.stringContaining('12 weeks, ')]);
    expect(drawn[0]).toContain('this record claims no skill');
  });
});

describe('the share image of a release', () => {
  it('is drawn from the view, as a PNG that may be cached for five minutes', async () => {
    const { documents, drawn } = drawing();
    const at = Date.parse('2026-11-13T22:00:00Z');
    const record = { weeks: [], grades: [] };
    const rows = {
      view: dashboardView(FULL, at),
      source: null,
      fearGreed: [],
      verdictChanges: [],
      record,
      gaps: undefined,
      responses: new Map(),
      at,
      until: at,
    };
    const image = await documents.get('/og.png')?.(rows);
    expect(image?.content.toString()).toBe('image');
    expect(image?.headers).toMatchObject({
      'Content-Type': 'image/png',
      'Cache-Control': 'public, max-age=300',
    });
    expect(drawn).toEqual([expect.stringContaining('Kompass Dashboard')]);
  });
});
