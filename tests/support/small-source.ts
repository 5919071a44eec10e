import type { Source, SourceReading, SourceRequest } from '#collector/history/source.ts';
import { SourceError } from '#collector/problems.ts';
import { newestClosedSession, previousSession } from '#domain/calendar/sessions.ts';
import type { MarketSource } from '#schema/market-source.ts';

const SESSIONS = 3;
const MEMBERS = [
  { symbol: 'AAA', name: 'First', sector: 'Energy' },
  { symbol: 'BBB', name: 'Second', sector: 'Utilities' },
];

export interface SmallSource extends Source {
  /** Times of the readings. */
  readonly readAt: number[];
  /** The error that the readings throw; null for none. */
  failure: string | null;
  /** Work that a reading awaits. */
  meanwhile: (request: SourceRequest) => Promise<void>;
}

/** A source of two companies over the newest three closed sessions, which makes a run cheap. */
export function smallSource(name: MarketSource = 'live'): SmallSource {
  const source: SmallSource = {
    name,
    readAt: [],
    failure: null,
    meanwhile: async () => undefined,
    plan: async (request) => ({ read: () => read(request) }),
  };
  async function read(request: SourceRequest): Promise<SourceReading> {
    source.readAt.push(request.now);
    await source.meanwhile(request);
    if (source.failure !== null) throw new SourceError(source.failure);
    const sessions = [newestClosedSession(request.now)];
    while (sessions.length < SESSIONS) sessions.unshift(previousSession(sessions[0] ?? ''));
    const values = (base: number) =>
      Float64Array.from(MEMBERS.flatMap((_, member) => sessions.map((__, at) => base + member + at)));
    const bars = {
      open: values(20),
      high: values(25),
      low: values(15),
      close: values(20),
      volume: values(1000),
    };
    const sp500 = Float64Array.from(sessions.map((_, at) => 5000 + at));
    return {
      history: {
        sessions,
        series: { sp500_close: sp500 },
        bars: { sessions, members: MEMBERS, ...bars },
        universe: 'Test',
      },
      members: MEMBERS,
      observedAt: null,
    };
  }
  return source;
}
