import { mergeHistories, withoutLastSession } from '#collector/history/merge.ts';
import { createProblems, type ProblemKind } from '#collector/problems.ts';
import type { Progress } from '#collector/progress.ts';
import { PROVIDER_NAMES, type ProviderName } from '#collector/providers/provider.ts';
import { createLiveSource } from '#collector/sources/live.ts';
import type { SourceReading } from '#collector/sources/source.ts';
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
  /** What the provider was asked in this run. */
  asked(provider: ProviderName): readonly string[];
}

export interface LiveRuns {
  readonly providers: Readonly<Record<ProviderName, FakeProvider>>;
  members: readonly Member[];
  /** What the runs have kept: closed sessions only. */
  held: MarketHistory | null;
  clockOffset: number | null;
  run(
    now: string,
    options?: { job?: 'collect' | 'backfill'; signal?: AbortSignal; parts?: number },
  ): Promise<LiveRunResult>;
}

/** Runs of the live source over fake providers, keeping what it gives as the collector does. */
export function liveRuns({
  members = fakeMembers(10),
  only = PROVIDER_NAMES,
}: {
  members?: readonly Member[];
  only?: readonly ProviderName[];
} = {}): LiveRuns {
  const of = (name: ProviderName) => fakeProvider(name);
  const providers = {
    alpaca: of('alpaca'),
    yahoo: of('yahoo'),
    cboe: of('cboe'),
    fred: of('fred'),
    wsj: of('wsj'),
  };
  const source = createLiveSource({
    providers: only.map((name) => providers[name]),
    readMembers: async () => runs.members,
    universe: 'Test',
    openHttp: () => fakeHttp(() => runs.clockOffset),
  });

  function keep(given: MarketHistory): void {
    if (given.bars.sessions.length === 0 && Object.keys(given.series).length === 0) return;
    runs.held = runs.held === null ? given : mergeHistories(given, runs.held, false);
  }

  const runs: LiveRuns = {
    providers,
    members,
    held: null,
    clockOffset: null,
    async run(
      now,
      { job = 'collect', signal = new AbortController().signal, parts: most = Number.POSITIVE_INFINITY } = {},
    ) {
      const problems = createProblems();
      const progress: Progress[] = [];
      for (const { asked } of Object.values(providers)) asked.length = 0;
      const request = () => ({
        now: Date.parse(now),
        job,
        problems,
        held: runs.held,
        report: (each: Progress) => progress.push(each),
        signal,
      });
      const parts: MarketHistory[] = [];
      if (source.past !== undefined) {
        for await (const part of source.past(request())) {
          if (parts.length === most) throw new Error('killed');
          parts.push(part);
          keep(part);
        }
      }
      const reading = await source.read(request());
      keep(reading.observedAt === null ? reading.history : withoutLastSession(reading.history));
      return {
        reading,
        parts,
        progress,
        notes: (kind) => problems.notes().find((each) => each.kind === kind)?.first ?? [],
        refused: () => Object.fromEntries(problems.refusals().map(({ kind, count }) => [kind, count])),
        asked: (provider) => [...providers[provider].asked],
      };
    },
  };
  return runs;
}

/** The close of a symbol in a history; NaN where there is none. */
export function closeIn({ bars }: MarketHistory, symbol: string, session: string): number {
  const row = bars.members.findIndex((member) => member.symbol === symbol);
  const column = bars.sessions.indexOf(session);
  return row < 0 || column < 0 ? Number.NaN : (bars.close[row * bars.sessions.length + column] ?? Number.NaN);
}

/** The value of a series in a history; NaN where there is none. */
export function valueIn({ sessions, series }: MarketHistory, name: SeriesName, session: string): number {
  return series[name]?.[sessions.indexOf(session)] ?? Number.NaN;
}
