import { combineBars, mergeHistories } from '#collector/history/merge.ts';
import type { Progress, Source, SourceReading } from '#collector/history/source.ts';
import { createProblems, type ProblemKind, SourceError } from '#collector/problems.ts';
import { type Input, PROVIDER_NAMES, type ProviderName } from '#collector/providers/provider.ts';
import { createLiveSource } from '#collector/sources/live-source.ts';
import type { BarMatrix, MarketHistory, Member, SeriesName } from '#domain/market-history.ts';
import { type FakeProvider, fakeHttp, fakeMembers, fakeProvider } from './fake-providers.ts';

/** The result of a run. */
export interface LiveRunResult {
  reading: SourceReading;
  /** The parts of the backfill, in order. */
  parts: MarketHistory[];
  progress: Progress[];
  notes(kind: ProblemKind): readonly string[];
  refused(): Partial<Record<ProblemKind, number>>;
}

export interface LiveRunOptions {
  job?: 'collect' | 'backfill';
  signal?: AbortSignal;
  /** Throws after this many parts of the backfill are stored. */
  parts?: number;
  /** True if the run recorded the origin of a stored value; always true by default. */
  hasOrigin?: (input: Input, session: string) => boolean;
}

/** Consecutive runs of a source. */
export interface Runs {
  /** The stored data of the runs: closed sessions only. */
  stored: MarketHistory | null;
  run(now: string, options?: LiveRunOptions): Promise<LiveRunResult>;
}

/** Executes runs of a live source and stores their data as the collector does. */
export function runsOf(source: Source): Runs {
  function store(data: MarketHistory, isReplaced: (symbol: string) => boolean): void {
    if (data.bars.sessions.length === 0 && Object.keys(data.series).length === 0) return;
    runs.stored =
      runs.stored === null ? data : mergeHistories(data, withoutBarsOf(runs.stored, isReplaced), false);
  }

  /** Merges from the last part to the first, because the last parts are small. */
  function storeParts(parts: readonly MarketHistory[]): void {
    if (parts.length === 0) return;
    const history = parts.reduceRight((later, part) => mergeHistories(later, part, false));
    const symbols = new Set(history.bars.members.map(({ symbol }) => symbol));
    store(history, (symbol) => symbols.has(symbol));
  }

  const runs: Runs = {
    stored: null,
    async run(
      now,
      {
        job = 'collect',
        signal = new AbortController().signal,
        parts: most = Number.POSITIVE_INFINITY,
        hasOrigin = () => true,
      } = {},
    ) {
      const problems = createProblems();
      const progress: Progress[] = [];
      const parts: MarketHistory[] = [];
      const plan = await source.plan({
        ...{ now: Date.parse(now), job, problems, stored: runs.stored, hasOrigin, signal },
        report: (each) => progress.push(each),
      });
      try {
        for await (const part of plan.missing ?? []) {
          if (parts.length === most) throw new Error('killed');
          parts.push(part);
        }
      } finally {
        storeParts(parts);
      }
      const reading = await plan.read(runs.stored);
      const replaced = new Set(reading.replaced);
      const { history, observedAt } = reading;
      store(observedAt === null ? history : withoutLastSession(history), (symbol) => replaced.has(symbol));
      return {
        reading,
        parts,
        progress,
        notes: (kind) => problems.notes().find((each) => each.kind === kind)?.first ?? [],
        refused: () => Object.fromEntries(problems.refusals().map(({ kind, count }) => [kind, count])),
      };
    },
  };
  return runs;
}

/** Runs over fake providers, which fail on request. */
export interface FakeRuns extends Runs {
  readonly providers: Readonly<Record<ProviderName, FakeProvider>>;
  /** The requests to a provider in the last run. */
  requests(provider: ProviderName): readonly string[];
  /** The universe of the next run; null makes it unreadable. */
  members: readonly Member[] | null;
  /** Time of all responses in the next run (epoch ms); null for the start of the run. */
  respondedAt: number | null;
}

export function fakeRuns({
  members = fakeMembers(10),
  only = PROVIDER_NAMES,
}: {
  members?: readonly Member[];
  only?: readonly ProviderName[];
} = {}): FakeRuns {
  const providers = {
    alpaca: fakeProvider('alpaca'),
    yahoo: fakeProvider('yahoo'),
    cboe: fakeProvider('cboe'),
    fred: fakeProvider('fred'),
    treasury: fakeProvider('treasury'),
    ofr: fakeProvider('ofr'),
    wsj: fakeProvider('wsj'),
  };
  const runs = runsOf(
    createLiveSource({
      providers: only.map((name) => providers[name]),
      async readMembers() {
        if (fakes.members === null) throw new SourceError('members.csv has no column sector; put it there.');
        return fakes.members;
      },
      universe: 'Test',
      openHttp: () => fakeHttp(() => fakes.respondedAt),
    }),
  );
  const fakes: FakeRuns = {
    providers,
    members,
    respondedAt: null,
    requests: (name) => [...providers[name].requests],
    get stored() {
      return runs.stored;
    },
    set stored(stored) {
      runs.stored = stored;
    },
    run(now, options) {
      for (const { requests } of Object.values(providers)) requests.length = 0;
      return runs.run(now, options);
    },
  };
  return fakes;
}

/** The close of a symbol in a history; NaN without a close. */
export function closeIn(history: MarketHistory | null, symbol: string, session: string): number {
  const { sessions = [], members = [], close = [] } = history?.bars ?? {};
  const row = members.findIndex((member) => member.symbol === symbol);
  const column = sessions.indexOf(session);
  return row < 0 || column < 0 ? Number.NaN : (close[row * sessions.length + column] ?? Number.NaN);
}

/** The value of a series in a history; NaN without a value. */
export function valueIn(history: MarketHistory | null, name: SeriesName, session: string): number {
  return history?.series[name]?.[history.sessions.indexOf(session)] ?? Number.NaN;
}

function withoutBarsOf(history: MarketHistory, isReplaced: (symbol: string) => boolean): MarketHistory {
  return { ...history, bars: withoutBars(history.bars, ({ symbol }) => isReplaced(symbol)) };
}

function withoutLastSession(history: MarketHistory): MarketHistory {
  const bars = withoutBars(history.bars, (_, session) => session === history.bars.sessions.at(-1));
  return { ...history, sessions: history.sessions.slice(0, -1), bars: combineBars([bars]) };
}

function withoutBars(bars: BarMatrix, isLeftOut: (member: Member, session: string) => boolean): BarMatrix {
  const close = bars.members.flatMap((member, row) =>
    bars.sessions.map((session, column) =>
      isLeftOut(member, session) ? Number.NaN : (bars.close[row * bars.sessions.length + column] as number),
    ),
  );
  return { ...bars, close: Float64Array.from(close) };
}
