/** Results of the visitors' requests. */
export interface Visitors {
  requests: number;
  failed: number;
  /** The longest time of a response (ms). */
  slowest: number;
}

/** Pause between two requests (ms). */
const APART = 250;
const READS = [
  'market_indices?select=*&order=created_at.desc&limit=10',
  'fear_greed_index?select=index_value,created_at&order=created_at.desc&limit=366',
  'sector_strength?select=*&order=created_at.desc&limit=22',
];

/** Visitors who request the page and its tables, one request after the other, until stopped. */
export function visit(url: string): { stop: () => Promise<Visitors> } {
  const visitors: Visitors = { requests: 0, failed: 0, slowest: 0 };
  const stopping = new AbortController();

  async function request(path: string, headers: Record<string, string> = {}): Promise<string> {
    const started = performance.now();
    const response = await fetch(`${url}${path}`, { headers }).catch(() => null);
    const body = (await response?.text().catch(() => '')) ?? '';
    visitors.requests += 1;
    if (response?.ok !== true) visitors.failed += 1;
    visitors.slowest = Math.max(visitors.slowest, performance.now() - started);
    return body;
  }

  async function ask(): Promise<void> {
    while (!stopping.signal.aborted) {
      const page = await request('/');
      const apikey = /sb_publishable_[\w-]{32}/.exec(page)?.[0] ?? '';
      for (const read of READS) {
        await new Promise((resolve) => setTimeout(resolve, APART));
        await request(`/rest/v1/${read}`, { apikey });
      }
    }
  }

  const asking = ask();
  return {
    async stop() {
      stopping.abort();
      await asking;
      return visitors;
    },
  };
}
