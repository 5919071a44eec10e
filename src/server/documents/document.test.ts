import { beforeEach, describe, expect, it } from 'vitest';
import { toResource } from '../http/response.ts';
import { TooManyWaiting } from '../queue.ts';
import type { Served, Versioned } from './cached-value.ts';
import { createDocument, type Document } from './document.ts';

let failure: Error | null;
let isPending: boolean;
let time: number;
let builds: number;
let logged: string[];
let input: Versioned<{ verdict: string }>;

const inputOf = (verdict: string, age: (() => number) | null = null) => ({ value: { verdict }, age });

const write = (event: string, fields = {}) => logged.push(JSON.stringify({ event, ...fields }));
const log = { info: write, warn: write, error: write };

const create = (path: string | RegExp = '/verdict.txt', waitMs = 300_000): Document =>
  createDocument(
    {
      path,
      input: () => input,
      content: ({ verdict }, name) => `${verdict}${name}`,
      build: (verdict) => {
        builds += 1;
        if (isPending) return new Promise(() => {});
        if (failure !== null) throw failure;
        const status = verdict.includes('none') ? 404 : 200;
        return Promise.resolve(toResource(Buffer.from(verdict), {}, { status }));
      },
    },
    { now: () => time, log, waitMs },
  );

const serve = async (document: Document, path = '/verdict.txt') =>
  (await document.serve({ path, query: '', client: () => 'a' })) as Served;
const textOf = ({ value }: Served) => value.content.toString();

beforeEach(() => {
  [failure, isPending, time, builds, logged] = [null, false, 0, 0, []];
  input = inputOf('HOLD');
});

describe('a document', () => {
  it('is built at its first request, once for all requests', async () => {
    const document = create();
    const all = await Promise.all(Array.from({ length: 500 }, () => serve(document)));
    expect([new Set(all.map(({ value }) => value)).size, builds]).toEqual([1, 1]);
    expect(textOf(all[0] as Served)).toContain('HOLD');
  });

  it('is built again only if its content differs', async () => {
    const document = create();
    const first = await serve(document);
    input = inputOf('HOLD');
    expect((await serve(document)).value).toBe(first.value);
    input = inputOf('BUY');
    const second = await serve(document);
    expect(textOf(second)).toContain('BUY');
    expect(second.value.tag).not.toBe(first.value.tag);
    expect(builds).toBe(2);
  });

  it('computes its content again in the next minute', async () => {
    const document = create();
    await serve(document);
    (input.value as { verdict: string }).verdict = 'SELL';
    time += 59_999;
    expect(textOf(await serve(document))).toContain('HOLD');
    time += 1;
    expect(textOf(await serve(document))).toContain('SELL');
  });

  it('has the age of its input', async () => {
    const document = create();
    input = inputOf('HOLD', () => 90);
    expect((await serve(document)).age?.()).toBe(90);
  });

  it.each([
    [new Error('away'), ['{"event":"document failed","path":"/verdict.txt","reason":"away"}']],
    [new TooManyWaiting(), []],
  ])(
    'is served with its age if the next one cannot be built, which is logged except for a refused turn: %o',
    async (reason, lines) => {
      const document = create();
      const first = await serve(document);
      input = inputOf('BUY');
      failure = reason;
      time = 90_000;
      const { value, age } = await serve(document);
      expect([value, age?.(), logged]).toEqual([first.value, 90, lines]);
      failure = null;
      time += 5_000;
      expect(textOf(await serve(document))).toContain('BUY');
    },
  );

  it('is served with its age if the next one takes too long', async () => {
    const document = create('/verdict.txt', 1);
    const first = await serve(document);
    input = inputOf('BUY');
    isPending = true;
    time = 90_000;
    const { value, age } = await serve(document);
    expect([value, age?.()]).toEqual([first.value, 90]);
  });

  it('is built again five seconds after a failure, also when the clock was set back', async () => {
    const document = create();
    time = 3_600_000;
    failure = new Error('no memory');
    await expect(serve(document)).rejects.toThrow('no memory');
    time += 4_999;
    await expect(serve(document)).rejects.toThrow('no memory');
    expect(builds).toBe(1);
    failure = null;
    time = 0;
    expect(textOf(await serve(document))).toContain('HOLD');
  });
});

describe('the documents of a pattern', () => {
  it('are stored by name, at most 100', async () => {
    const document = create(/^\/of\/(.*)$/);
    for (const name of ['a', 'b', 'a']) await serve(document, `/of/${name}`);
    expect(builds).toBe(2);
    for (let at = 0; at < 100; at += 1) await serve(document, `/of/${at}`);
    await serve(document, '/of/a');
    expect(builds).toBe(103);
  });

  it('stay stored if others fail', async () => {
    const document = create(/^\/of\/(.*)$/);
    for (let at = 0; at < 100; at += 1) await serve(document, `/of/${at}`);
    failure = new Error('away');
    for (const name of ['a', 'b', 'c']) await expect(serve(document, `/of/${name}`)).rejects.toThrow('away');
    for (let at = 1; at < 100; at += 1) await serve(document, `/of/${at}`);
    expect(builds).toBe(103);
  });

  it('are not stored if they do not exist, or if too many others waited', async () => {
    const document = create(/^\/of\/(.*)$/);
    expect((await serve(document, '/of/none')).value.status).toBe(404);
    await serve(document, '/of/none');
    expect(builds).toBe(2);
    failure = new TooManyWaiting();
    await expect(serve(document, '/of/a')).rejects.toThrow(TooManyWaiting);
    failure = null;
    expect((await serve(document, '/of/a')).value.status).toBe(200);
  });
});
