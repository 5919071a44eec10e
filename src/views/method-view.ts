import { asDisplayed } from '#domain/bands/precision.ts';
import { EXCHANGE } from '#domain/breadth/universe.ts';
import { sessionClose, sessionsOverdue } from '#domain/calendar/sessions.ts';
import { baseRates } from '#domain/record/base-rates.ts';
import { marketOf } from '#domain/record/grade-weeks.ts';
import { type RevisedDay, revisions } from '#domain/record/revisions.ts';
import {
  distanceBand,
  type InputDay,
  type Omission,
  omissions,
  type ScoredWeek,
  scoredWeeks,
  varianceShares,
  verdictStability,
} from '#domain/record/score-history.ts';
import { ENOUGH_WINDOWS } from '#domain/record/summarise-changes.ts';
import { decideSignal, SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import { READING_NAMES, READINGS, type Readings } from '#domain/signal/flips.ts';
import { advancingShare, SIGNAL_INPUTS, SIGNAL_WEIGHTS } from '#domain/signal/inputs.ts';
import { overlap, RAW_DATA, type RawData } from '#domain/signal/overlap.ts';
import type { SessionRows, SignalRows } from '#schema/dashboard.ts';
import { isDemonstration } from '#schema/market-source.ts';
import { baseRatesView } from './base-rates-view.ts';
import { asOf, writeDay } from './day.ts';
import { EXPLANATIONS, type Explanation } from './explanations.ts';
import { flipView, NAMES_OF_READINGS } from './flip-view.ts';
import { countText, figureOf, UNKNOWN } from './number.ts';
import { newestInstant } from './observed.ts';
import { behindText } from './page-texts.ts';
import { TOO_FEW } from './record-view.ts';
import type { RightsView } from './rights-view.ts';
import { INPUT_NAMES, signalInputs } from './signal-inputs.ts';
import { demoTextBesideReal } from './sources-view.ts';

type FearGreed = SessionRows['fearGreed'];

function readingsOf(rows: SignalRows, fearGreed: FearGreed): Readings {
  const { metrics, indicators, sentiment, breadth } = rows;
  const term = (timeframe: string) => sentiment.find((row) => row.timeframe === timeframe)?.score ?? null;
  const sectors = rows.sectors.flatMap(({ strength }) => strength ?? []);
  return {
    fearGreed: fearGreed?.index_value ?? null,
    overallStrength: metrics?.overall_strength ?? null,
    marketExposure: metrics?.market_exposure ?? null,
    short: term('short'),
    medium: term('medium'),
    long: term('long'),
    vix: indicators?.vix ?? null,
    putCall: indicators?.put_call_ratio ?? null,
    mcclellan: indicators?.mcclellan_oscillator ?? null,
    sectors:
      sectors.length === 0 ? null : sectors.reduce((sum, strength) => sum + strength, 0) / sectors.length,
    breadth:
      breadth && advancingShare(breadth.advancing_stocks, breadth.declining_stocks, breadth.unchanged_stocks),
  };
}

function inputDay(session: string, rows: SignalRows, fearGreed: FearGreed): InputDay {
  return { session, inputs: signalInputs(rows, fearGreed), readings: readingsOf(rows, fearGreed) };
}

/** The days of ascending sessions. A signal without an index takes the last one, like the dashboard; a reading is its own. */
function inputDays(days: readonly SessionRows[]): InputDay[] {
  let last: FearGreed = null;
  return days.map((day) => {
    last = day.fearGreed ?? last;
    return { ...inputDay(day.session, day, day.fearGreed), inputs: signalInputs(day, last) };
  });
}

const sourceOfDay = ({ fearGreed, metrics }: SessionRows) => fearGreed?.source ?? metrics?.source ?? null;

/** The newest row of each table, as the dashboard shows them. */
function newestRows(days: readonly SessionRows[]): SessionRows | null {
  const last = days.at(-1);
  if (last === undefined) return null;
  const newest = <Name extends keyof SessionRows>(name: Name): SessionRows[Name] =>
    days.findLast((day) => (Array.isArray(day[name]) ? day[name].length > 0 : day[name] !== null))?.[name] ??
    last[name];
  return {
    session: last.session,
    close: newest('close'),
    fearGreed: newest('fearGreed'),
    metrics: newest('metrics'),
    sectors: newest('sectors'),
    indicators: newest('indicators'),
    sentiment: newest('sentiment'),
    breadth: newest('breadth'),
  };
}

/** The days of the same market as the newest one: a demonstration is never pooled with the actual market. */
function daysOfMarket(days: readonly SessionRows[]): SessionRows[] {
  const last = days.at(-1);
  if (last === undefined) return [];
  const market = marketOf(sourceOfDay(last));
  return days.filter((day) => marketOf(sourceOfDay(day)) === market);
}

const RAW_NAMES: Readonly<Record<RawData, string>> = {
  stocks: 'Prices of the stocks followed',
  indexLevel: 'S&P 500 level alone',
  advanceDecline: 'Advancing and declining stocks',
  highLow: 'New highs and lows',
  vix: 'VIX',
  putCall: 'Put/call ratio',
  volume: 'Volume',
  stocksAgainstBonds: 'Stocks against bonds',
  credit: 'Credit spreads',
};

const percent = (value: number) => `${figureOf('score', value).text}%`;

function overlapOf(days: readonly SessionRows[]) {
  const counted = days.findLast(({ breadth }) => breadth?.universe != null);
  const shares = overlap(counted?.breadth?.universe === EXCHANGE);
  const sorted = RAW_DATA.filter((raw) => shares[raw] > 0).sort((a, b) => shares[b] - shares[a]);
  const [first = 'stocks', second = 'indexLevel'] = sorted;
  return {
    lead: `The seven inputs overlap. One kind of data (${RAW_NAMES[first]}) decides ${percent(shares[first])} of the score. The next one (${RAW_NAMES[second]}) decides ${percent(shares[second])}.`,
    rows: sorted.map((raw) => ({
      name: RAW_NAMES[raw],
      share: asDisplayed('score', shares[raw]),
      shareText: percent(shares[raw]),
    })),
  };
}

/** The cells of each input: its name and weight, its share of the score's variance, and the weeks with another verdict without it. */
function inputImportance(weeks: readonly ScoredWeek[]) {
  const shares = varianceShares(weeks);
  const omitted = omissions(weeks);
  return SIGNAL_INPUTS.map((input) => [
    INPUT_NAMES[input],
    `${SIGNAL_WEIGHTS[input]}%`,
    shares === null ? UNKNOWN : percent(shares[input]),
    changedText(omitted[input]),
  ]);
}

function changedText({ weeks, changed }: Omission): string {
  return weeks < ENOUGH_WINDOWS
    ? TOO_FEW
    : `${changed} of ${weeks} (${Math.round((100 * changed) / weeks)}%)`;
}

function stabilityOf(today: InputDay, scored: readonly ScoredWeek[]) {
  const bands = verdictStability(scored);
  const weeks = bands.reduce((sum, band) => sum + band.weeks, 0);
  const changed = bands.reduce((sum, band) => sum + band.changed, 0);
  const { next } = decideSignal(today.inputs);
  const current = next === null ? null : bands[distanceBand(next.distance)];
  const all = `The verdict changed from one week to the next in ${changed} of ${countText(weeks, 'week')} of the stored history (${Math.round((100 * changed) / weeks)}%).`;
  const counts = Object.values(omissions(scored));
  const cases = counts.reduce((sum, count) => sum + count.weeks, 0);
  const others = counts.reduce((sum, count) => sum + count.changed, 0);
  const omitted =
    cases === 0
      ? null
      : `With one of the seven inputs left out, it would have been another one in ${Math.round((100 * others) / cases)}% of cases.`;
  const own =
    next === null || current == null || current.weeks < ENOUGH_WINDOWS
      ? null
      : `At a distance similar to today’s ${figureOf('score', next.distance).text} points, it changed in ${current.changed} of ${countText(current.weeks, 'week')}.`;
  return {
    lead:
      weeks < ENOUGH_WINDOWS
        ? 'The stored history is too short to say how often the verdict changes.'
        : [all, omitted, own].filter((sentence) => sentence !== null).join(' '),
    rows: bands.map((band) => ({
      distanceText:
        band.below === null ? `${band.from} points or more` : `${band.from} to ${band.below} points`,
      weeksText: countText(band.weeks, 'week'),
      changedText: changedText(band),
      isCurrent: band === current,
    })),
  };
}

/** Minimum number of sessions for which revisions are shown: a month. */
const ENOUGH_SESSIONS = 20;

/** The cells of each reading: its name, and the differences between published and final values. */
function revisionsOf(days: readonly RevisedDay[], isDemo: boolean) {
  if (isDemo) return { lead: 'The numbers of a demonstration are not compared.', rows: [] };
  if (days.length < ENOUGH_SESSIONS) {
    const lead = `Too few sessions were published on their own day to compare published and final values: ${days.length} of ${ENOUGH_SESSIONS}.`;
    return { lead, rows: [] };
  }
  const compared = revisions(days);
  const rows = READING_NAMES.map((name) => {
    const { sessions, changed, median, largest } = compared[name];
    const text = (value: number | null, signed = false) =>
      figureOf(READINGS[name].quantity, value, { signed }).text;
    return [
      NAMES_OF_READINGS[name],
      `${changed} of ${sessions} sessions`,
      text(median),
      largest === null ? UNKNOWN : `${text(largest.change, true)} on ${writeDay(largest.session)}`,
    ];
  });
  return { lead: 'Providers correct some values after they were published.', rows };
}

/** False if the newest rows are from before the close of their session. */
function isOver(
  { session, fearGreed, metrics }: SessionRows,
  at: number,
  all: readonly SessionRows[],
): boolean {
  const createdAt = fearGreed?.created_at ?? metrics?.created_at;
  return at < all.length - 1 || createdAt === undefined || Date.parse(createdAt) >= sessionClose(session);
}

/** The statistics of the stored history; null without rows. They take most of the time to build the page. */
export function methodFigures(stored: readonly SessionRows[], revised: readonly RevisedDay[] = []) {
  const current = newestRows(stored);
  if (current === null) return null;
  const { fearGreed, metrics, sectors, indicators, sentiment, breadth } = current;
  const observed = [fearGreed, metrics, indicators, breadth, sectors[0], sentiment[0]].filter(
    (row) => row != null,
  );
  const rows = daysOfMarket(stored).filter(isOver);
  const days = inputDays(rows);
  const weeks = scoredWeeks(days);
  const today = inputDay(current.session, current, current.fearGreed);
  const [first, last] = [rows[0] ?? current, rows.at(-1) ?? current];
  const source = sourceOfDay(current);
  return {
    newest: newestInstant(observed) ?? '',
    demoText: demoTextBesideReal(source),
    flip: flipView(today, days),
    overlap: overlapOf(stored),
    inputs: inputImportance(weeks),
    stability: stabilityOf(today, weeks),
    revisions: revisionsOf(revised, source !== null && isDemonstration(source)),
    baseRates: baseRatesView(
      baseRates(
        rows.map(({ session, fearGreed, close }) => ({
          session,
          close,
          fearGreed: fearGreed?.index_value ?? null,
        })),
      ),
    ),
    historyText: `${figureOf('tick', rows.length).text} sessions from ${writeDay(first.session)} to ${writeDay(last.session)}`,
  };
}

export type MethodFigures = NonNullable<ReturnType<typeof methodFigures>>;

/** Sentences about old, invented and missing data. There is no time of the numbers if a notice says that they are old. */
function ageOf(figures: MethodFigures | null, now: number): { notices: string[]; asOfText: string | null } {
  if (figures === null) {
    return { notices: ['There is no data yet, so this page has definitions only.'], asOfText: null };
  }
  const demo = figures.demoText === null ? [] : [figures.demoText];
  const observed = asOf(figures.newest);
  const behind = sessionsOverdue(observed.instant, now);
  if (behind === 0) return { notices: demo, asOfText: `As of ${observed.text}.` };
  const old = `The data is old: its newest numbers are as of ${observed.text}, ${behindText(behind)}.`;
  return { notices: [...demo, old], asOfText: null };
}

export function methodView(figures: MethodFigures | null, now: number, rights: RightsView | null = null) {
  const definitions: readonly Explanation[] = Object.values(EXPLANATIONS);
  return { ...ageOf(figures, now), figures, formula: SIGNAL_FORMULA, definitions, rights };
}
export type MethodView = ReturnType<typeof methodView>;
