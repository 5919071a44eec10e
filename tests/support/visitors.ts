import type { Asked, Balancer, Outcome } from './balancer.ts';
import { noise } from './bars.ts';

export const KINDS = ['page', 'read', 'insert'] as const;
export type Kind = (typeof KINDS)[number];

/** Results of all requests of the visitors. */
export interface Tally {
  readonly answered: Record<Kind, number>;
  /** Inserts refused with 503 while the database was unavailable. */
  putOff: number;
  /** Requests on connections of a process that was killed. */
  cutOff: number;
  /** All other results, which are failures, as text. */
  readonly failed: string[];
  /** The addresses whose insert was acknowledged. */
  readonly acknowledged: string[];
}

export interface VisitorsOptions {
  readonly balancer: Balancer;
  readonly apikey: string;
  /** The page's reads; each has its own headers. */
  readonly reads: readonly Asked[];
  /** True while the database is down, and shortly after. */
  readonly isAway: () => boolean;
}

export interface Visitors {
  readonly tally: Tally;
  /** Sends one request and records its result. */
  visit(kind: Kind): Promise<Outcome>;
}

const SEED = 20_261_122;
const JSON_BODY = { 'content-type': 'application/json', prefer: 'return=minimal' };

/**
 * Each visitor has its own address, as a proxy passes it on, because a client may add only twenty addresses an hour.
 */
const clientOf = (count: number) => `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`;

/** Visitors of several servers behind a load balancer. They record each unexpected response. */
export function createVisitors({ balancer, apikey, reads, isAway }: VisitorsOptions): Visitors {
  const tally: Tally = {
    answered: { page: 0, read: 0, insert: 0 },
    ...{ putOff: 0, cutOff: 0, failed: [], acknowledged: [] },
  };
  const random = noise(SEED);
  let asked = 0;

  const requestOf = (kind: Kind, email: string): Asked => {
    const client = { 'x-forwarded-for': clientOf(asked) };
    if (kind === 'page') return { path: '/', headers: client };
    if (kind === 'read') {
      // Picks reads at random. If reads and servers both took turns, each server would get only some of the reads.
      const read = reads[Math.floor(random() * reads.length)] as Asked;
      return { ...read, headers: { ...read.headers, ...client } };
    }
    const body = JSON.stringify({ email, is_active: true });
    const headers = { ...client, ...JSON_BODY, apikey };
    return { method: 'POST', path: '/rest/v1/email_subscribers', headers, body };
  };

  const isRight = (kind: Kind, { status, text }: { status: number; text: string }): boolean => {
    if (kind === 'page') return status === 200 && text.includes('barometer-data');
    if (kind === 'read') return status === 200 || status === 206;
    return status === 201;
  };

  return {
    tally,
    async visit(kind) {
      asked += 1;
      const email = `visitor-${asked}@example.com`;
      const wasAway = isAway();
      const outcome = await balancer.ask(requestOf(kind, email));
      if ('error' in outcome) {
        if (outcome.server?.isKilled) tally.cutOff += 1;
        else tally.failed.push(`${kind}: ${outcome.error} from ${outcome.server?.url ?? 'all'}`);
      } else if (isRight(kind, outcome)) {
        tally.answered[kind] += 1;
        if (kind === 'insert') tally.acknowledged.push(email);
      } else if (kind === 'insert' && outcome.status === 503 && (wasAway || isAway())) tally.putOff += 1;
      else tally.failed.push(`${kind}: ${outcome.status} ${outcome.text.slice(0, 200)}`);
      return outcome;
    },
  };
}
