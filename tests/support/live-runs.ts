import { mergeHistories, withoutLastSession } from '#collector/history/merge.ts';
import { createProblems, type ProblemKind, SourceError } from '#collector/problems.ts';
import type { Progress } from '#collector/progress.ts';
import { type Input, PROVIDER_NAMES, type ProviderName } from '#collector/providers/provider.ts';
import { createLiveSource } from '#collector/sources/live.ts';
import type { Source, SourceReading } from '#collector/sources/source.ts';
import type { MarketHistory, Member, SeriesName } from '#domain/market-history.ts';
import { type FakeProvider, fakeHttp, fakeMembers, fakeProvider } from './fake-providers.ts';

/** What one run came to. */
export interface LiveRunResult {
  reading: SourceReading;
  /** The parts of the past, as they came. */
  parts: MarketHistory[];
  progress: Progress[];
  notes(kind: ProblemKind): readonly string[];
  refused(): Partial<Record<ProblemKind, number>>;
}

export interface LiveRunOptions {
  job?: 'collect' | 'backfill';
  signal?: AbortSignal;
  /** Ends it by an error after so many parts of the past are kept. */
  parts?: number;
  /** Whether it is on record who gave a value that is held; all is, otherwise. */
  isOnRecord?: (input: Input, session: string) => boolean;
}

/** Runs of a source, one after another. */
export interface Runs {
  /** What they have kept: closed sessions only. */
  held: MarketHistory | null;
  run(now: string, options?: LiveRunOptions): Promise<LiveRunResult>;
}

/** Runs of a live source, which keep what it gives as the collector does. */
export function runsOf(source: Source): Runs {
  function keep(given: MarketHistory, isWhole: (symbol: string) => boolean): void {
    if (given.bars.sessions.length === 0 && Object.keys(given.series).length === 0) return;
    runs.held = runs.held === null ? given : mergeHistories(given, withoutBarsOf(runs.held, isWhole), false);
  }

  /** The small parts come last; so nothing large is put together anew for each of them. */
  function keepParts(parts: readonly MarketHistory[]): void {
    if (parts.length === 0) return;
    const past = parts.reduceRight((later, part) => mergeHistories(later, part, false));
    const symbols = new Set(past.bars.members.map(({ symbol }) => symbol));
    keep(past, (symbol) => symbols.has(symbol));
  }

  const runs: Runs = {
    held: null,
    async run(
      now,
      {
        job = 'collect',
        signal = new AbortController().signal,
        parts: most = Number.POSITIVE_INFINITY,
        isOnRecord = () => true,
      } = {},
    ) {
      const problems = createProblems();
      const progress: Progress[] = [];
      const request = () => ({
        now: Date.parse(now),
        job,
        problems,
        held: runs.held,
        isOnRecord,
        report: (each: Progress) => progress.push(each),
        signal,
      });
      const parts: MarketHistory[] = [];
      try {
        for await (const part of source.past?.(request()) ?? []) {
          if (parts.length === most) throw new Error('killed');
          parts.push(part);
        }
      } finally {
        keepParts(parts);
      }
      const reading = await source.read(request());
      const whole = new Set(reading.whole);
      keep(reading.observedAt === null ? reading.history : withoutLastSession(reading.history), (symbol) =>
        whole.has(symbol),
      );
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

/** Runs over fake providers, which can be told to fail. */
export interface FakeRuns extends Runs {
  readonly providers: Readonly<Record<ProviderName, FakeProvider>>;
  /** What the provider was asked in the last run. */
  asked(provider: ProviderName): readonly string[];
  /** The universe as the next run finds it; null where it cannot be read. */
  members: readonly Member[] | null;
  /** By how much the providers' clocks are ahead (ms). */
  clockOffset: number | null;
  /** When all of them answered in the next run (epoch ms); null for the instant it began. */
  answeredAt: number | null;
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
      openHttp: () =>
        fakeHttp(
          () => fakes.clockOffset,
          () => fakes.answeredAt,
        ),
    }),
  );
  const fakes: FakeRuns = {
    providers,
    members,
    clockOffset: null,
    answeredAt: null,
    asked: (name) => [...providers[name].asked],
    get held() {
      return runs.held;
    },
    set held(held) {
      runs.held = held;
    },
    run(now, options) {
      for (const { asked } of Object.values(providers)) asked.length = 0;
      return runs.run(now, options);
    },
  };
  return fakes;
}

/** The close of a symbol in a history; NaN where there is none. */
export function closeIn(history: MarketHistory | null, symbol: string, session: string): number {
  const { sessions = [], members = [], close = [] } = history?.bars ?? {};
  const row = members.findIndex((member) => member.symbol === symbol);
  const column = sessions.indexOf(session);
  return row < 0 || column < 0 ? Number.NaN : (close[row * sessions.length + column] ?? Number.NaN);
}

/** The value of a series in a history; NaN where there is none. */
export function valueIn(history: MarketHistory | null, name: SeriesName, session: string): number {
  return history?.series[name]?.[history.sessions.indexOf(session)] ?? Number.NaN;
}

function withoutBarsOf(history: MarketHistory, isWhole: (symbol: string) => boolean): MarketHistory {
  const { bars } = history;
  const width = bars.sessions.length;
  const cleared = (column: Float64Array) =>
    column.map((value, cell) =>
      isWhole(bars.members[Math.floor(cell / width)]?.symbol ?? '') ? Number.NaN : value,
    );
  return { ...history, bars: { ...bars, close: cleared(bars.close) } };
}
