import { previousSession } from '#domain/calendar/sessions.ts';
import type { Bar, Provider } from '../providers/provider.ts';
import type { Given } from './given.ts';
import { groupBy } from './group-by.ts';
import type { HeldView } from './held-view.ts';
import { lastSessions } from './last-sessions.ts';
import { LIVE_LIMITS } from './limits.ts';
import { correctedSessions, joinsBars, recentSessions } from './need.ts';
import { readBars } from './read-bars.ts';
import { isOther, isReadjusted } from './readjusted.ts';
import { repeatsSessionBefore } from './repeated.ts';
import type { LiveRun } from './run.ts';

/**
 * Reads the recent sessions of all members whose past is held: from the first choice, and from the next ones
 * what is still missing of the run's session. Answers up to when the bars of that session reach (epoch ms); null
 * where nobody gave one.
 */
export async function readRecentBars(run: LiveRun, held: HeldView, given: Given): Promise<number | null> {
  const { target, members, plan } = run;
  const providers = plan.find(({ asking }) => asking === 'bars')?.providers ?? [];
  const symbols = members.map(({ symbol }) => symbol).filter((symbol) => joinsBars(run, held, symbol));
  const from = recentSessions(target)[0] ?? target.session;
  let reach: number | null = null;
  for (const [rank, provider] of providers.entries()) {
    const hasBar = (symbol: string) =>
      given.hasBar(symbol, target.session) || !Number.isNaN(held.close(symbol, target.session));
    const wanted = rank === 0 ? symbols : symbols.filter((symbol) => !hasBar(symbol));
    if (wanted.length === 0) break;
    const reading = await readBars(run, provider, wanted, { from, to: lastOf(run, provider) });
    const bars = withoutRepeated(run, provider, reading.bars);
    if (rank === 0) await takeFirstChoice(run, provider, held, given, bars);
    else fillIn(provider, held, given, bars);
    if (reading.observedAt !== null && bars.some(({ session }) => session === target.session)) {
      reach = Math.min(reach ?? Number.POSITIVE_INFINITY, reading.observedAt);
    }
  }
  return reach;
}

function lastOf({ target }: LiveRun, { givesOpenSession }: Provider): string {
  return target.final || givesOpenSession.includes('bars') ? target.session : target.newestFinal;
}

function withoutRepeated(
  { target: { session }, request }: LiveRun,
  provider: Provider,
  bars: readonly Bar[],
) {
  const before = previousSession(session);
  if (!repeatsSessionBefore(bars, session, before)) return bars;
  request.problems.note(
    'provider',
    `${provider.label} gives the bars of ${before} once more as those of ${session}, which are not taken.`,
  );
  return bars.filter((bar) => bar.session !== session);
}

/** A fallback only fills in what is not there: its adjustments are its own. */
function fillIn({ name }: Provider, held: HeldView, given: Given, bars: readonly Bar[]): void {
  for (const bar of bars) {
    const isThere =
      given.hasBar(bar.symbol, bar.session) || !Number.isNaN(held.close(bar.symbol, bar.session));
    if (!isThere) given.addBar(bar, name);
  }
}

/** The first choice corrects the newest sessions too; a symbol it has adjusted again comes whole. */
async function takeFirstChoice(
  run: LiveRun,
  provider: Provider,
  held: HeldView,
  given: Given,
  bars: readonly Bar[],
): Promise<void> {
  const { problems } = run.request;
  const corrected = correctedSessions(run.target);
  const ofSymbol = groupBy(bars, ({ symbol }) => symbol);
  const readjusted: string[] = [];
  for (const [symbol, itsBars] of ofSymbol) {
    const overlap = itsBars.flatMap(({ session, close }) => {
      const before = held.close(symbol, session);
      return Number.isNaN(before) ? [] : [{ session, held: before, given: close }];
    });
    if (isReadjusted(overlap)) {
      readjusted.push(symbol);
      continue;
    }
    for (const each of overlap) {
      if (corrected.has(each.session) || !isOther(each)) continue;
      problems.note(
        'correction',
        `${provider.label} gives ${symbol} a close of ${each.given} on ${each.session}, ${each.held} is held and stays.`,
      );
    }
    for (const bar of itsBars) {
      if (corrected.has(bar.session) || Number.isNaN(held.close(symbol, bar.session))) {
        given.addBar(bar, provider.name);
      }
    }
  }
  await takeWhole(run, provider, held, given, readjusted);
}

async function takeWhole(
  run: LiveRun,
  provider: Provider,
  held: HeldView,
  given: Given,
  symbols: readonly string[],
): Promise<void> {
  if (symbols.length === 0) return;
  const { problems } = run.request;
  const to = lastOf(run, provider);
  const from = lastSessions(to, LIVE_LIMITS.barSessions)[0] ?? to;
  const { bars } = await readBars(run, provider, symbols, { from, to });
  const ofSymbol = groupBy(withoutRepeated(run, provider, bars), ({ symbol }) => symbol);
  for (const symbol of symbols) {
    const whole = ofSymbol.get(symbol) ?? [];
    const sessions = new Set(whole.map(({ session }) => session));
    const before = held.sessionsOf(symbol).filter((session) => session >= from);
    const missing = before.filter((session) => !sessions.has(session)).length;
    const isWhole = missing <= (1 - LIVE_LIMITS.wholeness) * before.length;
    problems.note(
      'readjusted',
      isWhole
        ? `${provider.label} has adjusted the past of ${symbol} again; it was read whole.`
        : `${provider.label} has adjusted the past of ${symbol} again but gave only part of it; it is left out of this run.`,
    );
    if (isWhole) for (const bar of whole) given.addBar(bar, provider.name);
  }
}
