import { FAILED_TO_FETCH } from '#queries/failed-to-fetch.ts';
import { parseInjected, textOf } from './configuration.ts';

/** The file with the responses to the reads of a page that was published as files, by their address below the page. */
interface PublishedReads {
  at: number;
  responses: Record<string, [range: string, rows: unknown]>;
}

/** The reads of a page without a backend, all from one file, so that they never mix two publications. Null with a backend. */
export function publishedReads(injected: string | null, base: string, fetch: typeof globalThis.fetch) {
  const file = textOf(parseInjected(injected)?.reads);
  if (file === '') return null;
  let last: Promise<PublishedReads> | null = null;

  async function read(): Promise<PublishedReads> {
    const response = await fetch(new URL(file, base));
    if (!response.ok) throw new Error(FAILED_TO_FETCH);
    return response.json();
  }

  function current(): Promise<PublishedReads> {
    if (last !== null) return last;
    const mine: Promise<PublishedReads> = read().catch((error) => {
      if (last === mine) last = null;
      throw error;
    });
    last = mine;
    return mine;
  }

  const respond: typeof fetch = async (input) => {
    const { responses } = await current();
    const found = responses[String(input).slice(new URL('.', base).href.length)];
    if (found === undefined) return Response.json({ message: FAILED_TO_FETCH }, { status: 404 });
    return Response.json(found[1], { headers: { 'Content-Range': found[0] } });
  };

  return {
    at: async () => (await current()).at,
    fetch: respond,
    forget: () => {
      last = null;
    },
  };
}
