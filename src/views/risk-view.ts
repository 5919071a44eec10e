import { roundTo } from '#domain/bands/precision.ts';
import { parseDay } from '#domain/calendar/days.ts';
import { weekStart } from '#domain/calendar/iso-week.ts';
import {
  newestClosedSession,
  nextSession,
  previousSession,
  sessionOpen,
  sessionsBetween,
} from '#domain/calendar/sessions.ts';
import { ENOUGH_WINDOWS } from '#domain/record/summarise-changes.ts';
import {
  type JudgedWeek,
  judgeWeeks,
  LEAST_WEEKS,
  type RiskJudgement,
  type Skill,
} from '#domain/risk/judgement.ts';
import { LEAST_HISTORY } from '#domain/risk/outlook.ts';
import { OUTLOOK_SESSIONS } from '#domain/risk/past-weeks.ts';
import type { RecordedOutlook, RecordedWeek } from '#domain/risk/recorded.ts';
import type { WorstOfBand } from '#domain/risk/worst-by-band.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { writeDateAndMonth, writeDay, writeMonth, writeNarrowDate } from './day.ts';
import { countText, UNKNOWN, unbroken, writeNumber } from './number.ts';
import { TOO_FEW } from './record-view.ts';
import { demoTextBesideReal } from './sources-view.ts';

const SESSIONS_A_WEEK = 5;
/** Weeks after the close of an outlook whose dates stand below its fan. */
const DATED_WEEKS = [0, 2, 4];
const LISTED_WEEKS = 12;
/** A group of stated probabilities with fewer weeks says nothing. */
const LEAST_IN_GROUP = 26;

export const RISK_CAVEATS = [
  'Calm states come before crashes too: the real VIX was below 15 on 19 February 2020, and the S&P 500 fell 29.5% within four weeks.',
  'By real prices, the VIX alone forecasts the volatility better than our score does, and about as well as this outlook.',
  'The outlook says nothing about direction, and it is not advice.',
] as const;

/** A share as percent: '1.9%', '−6.9%'. */
const percent = (share: number | null, decimals = 1) =>
  share === null || !Number.isFinite(share)
    ? UNKNOWN
    : writeNumber(roundTo(100 * share, decimals), decimals, { suffix: '%' });
const loss = (value: number) => (Number.isFinite(value) ? writeNumber(value, 3) : UNKNOWN);
const skillText = ({ value, low, high }: Skill) =>
  `${percent(value)} (90% interval ${percent(low)} to ${percent(high)})`;
/** The root mean square of a week's change from that of a day's. */
export const weeklyMove = (daily: number) => daily * Math.sqrt(SESSIONS_A_WEEK);

/** '1.4% to 2.9%'. */
const rangeText = ({ volatility: { low, high } }: RecordedOutlook, decimals = 1) =>
  `${percent(weeklyMove(low), decimals)} to ${percent(weeklyMove(high), decimals)}`;
/** '1.9%'. */
const moveText = ({ volatility }: RecordedOutlook) => percent(weeklyMove(volatility.middle));

/** The first sentence of the outlook, for the page and the mail. */
export const riskSentence = (outlook: RecordedOutlook): string =>
  `Over the four weeks from ${writeDay(outlook.session)}, the volatility of the S&P 500 is expected at ${moveText(outlook)} a week, and with a chance of 80% from ${rangeText(outlook)}.`;

/** The line of the dashboard, which links to `/risk`; null without a current outlook at an instant (epoch ms). */
export function riskLine(outlook: RecordedOutlook | null, now: number): string | null {
  const current = currentOutlook(outlook, now);
  return (
    current &&
    `4-week S&P 500 outlook of ${writeDateAndMonth(current.session)}: volatility ${moveText(current)} a week (80% range ${unbroken(rangeText(current))}).`
  );
}

/** The recorded outlooks of a market, oldest first, and the first stored close of the S&P 500. */
export interface RiskRecord {
  readonly source: MarketSource | null;
  readonly weeks: readonly RecordedWeek[];
  readonly closesSince: string | null;
  /** True if the numbers of the S&P 500 or of the VIX may not be published, so that no outlook is recorded. */
  readonly isForbidden: boolean;
  /** The newest value of the Financial Stress Index, as context; null if it is not collected. */
  readonly stress: { readonly session: string; readonly value: number } | null;
}

const judgedWeeks = (weeks: readonly RecordedWeek[]) =>
  weeks.flatMap(({ outlook, outcome, origin }): (JudgedWeek & Pick<RecordedWeek, 'origin'>)[] =>
    outcome === null || 'voidReason' in outcome ? [] : [{ outlook, outcome, origin }],
  );

/** The newest session that ended a week and whose next session has opened: its outlook should be on record. */
function expectedSession(now: number): string {
  let session = newestClosedSession(now);
  while (weekStart(nextSession(session)) === weekStart(session) || now < sessionOpen(nextSession(session)))
    session = previousSession(session);
  return session;
}

/** The outlook while its 20 sessions are not over at an instant (epoch ms); null afterwards. */
export function currentOutlook(outlook: RecordedOutlook | null, now: number): RecordedOutlook | null {
  if (outlook === null) return null;
  return newestClosedSession(now) < nextSession(outlook.session, OUTLOOK_SESSIONS) ? outlook : null;
}

const worstText = ({ worst, worstSession }: WorstOfBand) =>
  `${percent(worst)} (${unbroken(writeMonth(parseDay(worstSession)))})`;

function bandText(row: WorstOfBand, since: string): string {
  const { band, weeks, spells, tenth } = row;
  return `In the weeks like this one (VIX ${band}; ${countText(weeks, 'week')} since ${since}, in ${countText(spells, 'spell')} of consecutive weeks), one in ten fell below ${percent(tenth)} at a close within four weeks; the lowest was ${worstText(row)}.`;
}

/** True if a state has too few spells for a median, a share or a quantile. */
const isRare = ({ spells }: WorstOfBand) => spells < ENOUGH_WINDOWS;

function bandRow(row: WorstOfBand, current: string | null) {
  const few = isRare(row) ? TOO_FEW : null;
  return {
    name: `VIX ${row.band}`,
    isCurrent: row.band === current,
    weeksText: `${countText(row.weeks, 'week')}, ${countText(row.spells, 'spell')}`,
    medianText: few ?? percent(row.median),
    tenthText: few ?? percent(row.tenth),
    worstText: worstText(row),
    fallText:
      few ??
      `${percent(row.fall, 0)} (${unbroken(`${percent(row.fallInterval.low, 0)} to ${percent(row.fallInterval.high, 0)}`)})`,
  };
}

const SKILL =
  'A skill of 30% means that this outlook had an error 30% smaller than the other; below 0%, its error was larger. ';

function judgedView(title: string, lead: string, judged: RiskJudgement, isEnough: boolean) {
  const { ours, usual, vix, skill, overVix } = judged;
  const row = (name: string, of: (scores: typeof ours) => number, write: (value: number) => string = loss) =>
    [name, write(of(ours)), write(of(usual)), vix === null ? UNKNOWN : write(of(vix))] as const;
  const falls = judged.falls.filter(({ weeks }) => weeks >= LEAST_IN_GROUP);
  return {
    title,
    lead,
    skills: isEnough
      ? [
          `Skill against the mean of the past: ${skillText(skill)}.`,
          ...(overVix === null ? [] : [`Skill against the VIX alone: ${skillText(overVix)}.`]),
          ...(ours.fall >= usual.fall
            ? ['The chance of a 5% fall was stated no better than by the mean of the past.']
            : []),
        ]
      : [],
    rows: [
      row('Weeks inside the 80% range', ({ covered }) => covered, percent),
      row('Error of the volatility', ({ error }) => error),
      row('Error of the chance of a 5% fall', ({ fall }) => fall),
    ],
    technicalRows: [
      row('QLIKE of variance', ({ qlike }) => qlike),
      row('Pinball loss at 10%', ({ pinball }) => pinball[0]),
      row('Pinball loss at 50%', ({ pinball }) => pinball[1]),
      row('Pinball loss at 90%', ({ pinball }) => pinball[2]),
    ],
    reliability: [
      ...judged.ranges.map((range) => ({ ...range, isFall: false })),
      ...falls.map((fall) => ({ ...fall, isFall: true })),
    ],
    reliabilityText: `${isEnough ? SKILL : ''}The line that one in ten crosses was crossed in ${percent(judged.crossed)} of the weeks. The outer fan held ${percent(judged.withinMost)} of the moves over four weeks, the inner fan ${percent(judged.withinHalf)}.`,
  };
}

export type JudgedView = ReturnType<typeof judgedView>;

function onRecord(record: RiskJudgement, needed: number, rebuilt: number): JudgedView {
  const later = rebuilt === record.weeks ? 'all' : writeNumber(rebuilt, 0);
  const span = `${countText(record.weeks, 'week')} from ${writeDay(record.first)} to ${writeDay(record.last)}${rebuilt === 0 ? '' : `, ${later} of them computed later for the demonstration`}`;
  const isEnough = record.weeks >= needed;
  const lead = isEnough ? `${span}.` : `${span}: too few weeks to say, of the ${needed} needed.`;
  return judgedView('The weeks on record', lead, record, isEnough);
}

function computedLater(past: RiskJudgement, record: RiskJudgement | null): JudgedView {
  const both = record !== null && record.first <= past.last ? ' They include weeks on record.' : '';
  const lead = `Computed later over the stored closes, each of ${countText(past.weeks, 'week')} from ${writeDay(past.first)} to ${writeDay(past.last)} from its own past only.${both} The rule was made when these years were known.`;
  return judgedView(`The same rule since ${past.first.slice(0, 4)}`, lead, past, true);
}

function reasonWithout(
  { source, closesSince: since, isForbidden }: RiskRecord,
  now: number,
  isDelayed: boolean,
): string {
  if (source === 'replay')
    return 'There is no outlook, because the sessions of this demonstration are moved, and none follow.';
  if (since === null) return 'There is no outlook: no close of the S&P 500 is stored.';
  if (isForbidden)
    return 'There is no outlook, because this page may not show the numbers of the S&P 500 and the VIX.';
  if (isDelayed)
    return 'There is no outlook, because this page shows sessions with a delay, and an outlook would show their closes earlier.';
  const isEnough = sessionsBetween(since, newestClosedSession(now)).length > LEAST_HISTORY;
  const reason = isEnough
    ? 'The first one is recorded after the last close of the week.'
    : `It needs ten years of closes of the S&P 500; the stored ones begin on ${writeDay(since)}.`;
  return `There is no outlook yet. ${reason}`;
}

/** ', below' or ', above' for a value outside a range; '' inside it. */
const outsideText = (value: number, { low, high }: { low: number; high: number }) =>
  value < low ? ', below' : value > high ? ', above' : '';

const PENDING = 'pending';
/** Decimals in the list of weeks. With one, a miss would often have the same text as the end that it misses. */
const LISTED_DECIMALS = 2;

function weekRow({ outlook, outcome, origin }: RecordedWeek) {
  const stated = {
    session: `${writeNarrowDate(outlook.session)}${origin === 'rebuilt' ? '*' : ''}`,
    statedText: rangeText(outlook, LISTED_DECIMALS),
    lineText: percent(outlook.worstLine, LISTED_DECIMALS),
  };
  if (outcome === null) return { ...stated, outcomeText: PENDING, worstText: PENDING };
  if ('voidReason' in outcome) return { ...stated, outcomeText: 'void', worstText: UNKNOWN };
  const { volatility, worst } = outcome;
  return {
    ...stated,
    outcomeText:
      percent(weeklyMove(volatility), LISTED_DECIMALS) + outsideText(volatility, outlook.volatility),
    worstText:
      percent(worst, LISTED_DECIMALS) + outsideText(worst, { low: outlook.worstLine, high: Infinity }),
  };
}

/** A value that is older than this number of sessions is no context of today. */
const STRESS_SESSIONS = 10;

function stressTextOf(stress: RiskRecord['stress'], now: number): string | null {
  if (stress == null || sessionsBetween(stress.session, newestClosedSession(now)).length > STRESS_SESSIONS)
    return null;
  return `For comparison: the Financial Stress Index of the US Office of Financial Research was ${writeNumber(stress.value, 2)} on ${writeDay(stress.session)}. 0 is its average since 2000, and higher is more stress. The outlook does not use it.`;
}

/** The page `/risk` at an instant (epoch ms). `isDelayed` is true if sessions are published with a delay. */
export function riskView(recorded: RiskRecord, now: number, isDelayed = false) {
  const { source, weeks, stress } = recorded;
  const newest = weeks.at(-1);
  const shown = currentOutlook(newest?.outlook ?? null, now);
  const context = weeks.findLast(({ outlook }) => outlook.bands !== undefined)?.outlook;
  const judged = judgedWeeks(weeks);
  const record = judgeWeeks(judged);
  const past = context?.past ?? null;
  const rebuilt = judged.filter(({ origin }) => origin === 'rebuilt').length;
  const isWorse = record !== null && record.skill.value < 0;
  const band = context?.bands?.find((row) => row.band === shown?.band);
  const since = context?.since?.slice(0, 4) ?? '';
  const expected = expectedSession(now);
  const isLate = newest !== undefined && newest.outlook.session < expected;
  return {
    demoText: demoTextBesideReal(source),
    lead: [
      ...(isWorse
        ? [
            `So far this outlook does worse than the plain mean of the past, over ${countText(record.weeks, 'week')} on record.`,
          ]
        : []),
      ...(shown === null
        ? [newest === undefined ? reasonWithout(recorded, now, isDelayed) : 'There is no current outlook.']
        : [riskSentence(shown), ...(band === undefined || isRare(band) ? [] : [bandText(band, since)])]),
    ],
    notices: [
      ...(isLate ? [`No outlook was recorded after the close of ${writeDay(expected)}.`] : []),
      ...(shown !== null && shown.inputs === 'closes'
        ? ['The VIX is missing, so this outlook comes from the closes of the S&P 500 alone.']
        : []),
    ],
    stressText: stressTextOf(stress, now),
    current: shown && {
      asOfText: `From the close of ${writeDay(shown.session)}, S&P 500 ${writeNumber(shown.close, 2)}${shown.vix === null ? '' : `, VIX ${writeNumber(shown.vix, 2)}`}.`,
      facts: [
        ['Volatility a week', moveText(shown)],
        ['80% range of the volatility', rangeText(shown)],
        ['Lowest close in four weeks: one in ten is below', percent(shown.worstLine)],
        [
          `Chance of a 5% fall within four weeks (all weeks: ${percent(shown.usualFall, 0)})`,
          percent(shown.fall, 0),
        ],
      ] as const,
      // The sizes of the moves after 1 to 4 weeks, in percent.
      half: shown.half.map((size) => 100 * size),
      most: shown.most.map((size) => 100 * size),
      dates: DATED_WEEKS.map((at) => ({
        at,
        text: writeDateAndMonth(nextSession(shown.session, SESSIONS_A_WEEK * at)),
      })),
      volatilityText: 'About two of three weeks change by less than the volatility, up or down.',
      fanText: `After four weeks, half of the moves are within ${percent(shown.half.at(-1) ?? null)} up or down, and 80% within ${percent(shown.most.at(-1) ?? null)}.`,
    },
    bands:
      context?.bands === undefined
        ? null
        : {
            caption: `The lowest close of the next four weeks against the close of the week, since ${since}. The last column is the share of weeks with a fall of 5% or more, with its 90% interval.`,
            rows: context.bands.map((row) => bandRow(row, shown?.band ?? null)),
          },
    judged: [
      ...(record === null ? [] : [onRecord(record, past?.needed ?? record.needed ?? LEAST_WEEKS, rebuilt)]),
      ...(past === null ? [] : [computedLater(past, record)]),
    ],
    weeks: weeks.slice(-LISTED_WEEKS).reverse().map(weekRow),
  };
}
export type RiskView = ReturnType<typeof riskView>;
