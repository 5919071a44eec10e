import { SECTOR_TOTAL } from '#domain/bands/score-bands.ts';
import { marketDay } from '#domain/calendar/sessions.ts';
import { SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import { type ClosesView, closesView, type IndexClose } from './closes-view.ts';
import { type CompareView, compareView } from './compare-view.ts';
import { writeClock, writeDay } from './day.ts';
import type { DashboardView, SignalView } from './model.ts';

/** A displayed value with the name of its band: '42.8 Fear'. */
interface PastFigure {
  readonly name: string;
  readonly text: string;
}

interface PastSection {
  readonly title: string;
  readonly figures: readonly PastFigure[];
}

/** A link to another session. */
export interface SessionLink {
  readonly session: string;
  /** 'Fri 13 Nov 2026'. */
  readonly text: string;
}

/** A number of the page with two values; '—' for a missing value. */
export interface PastChange {
  /** The part of the page: 'Sectors'. */
  readonly section: string;
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

export interface PastDayView {
  readonly session: string;
  /** 'Mon 5 Oct 2026'. */
  readonly title: string;
  /** The origin of the numbers: published on that day, corrected since, or computed later. */
  readonly banner: string;
  /** The numbers that were corrected or completed after the page was published. */
  readonly changes: readonly PastChange[];
  /** Further sentences: on a date without data, on demonstration data, on changed rows, or on another formula. */
  readonly notes: readonly string[];
  /** The page as it was published, or as it follows from the stored rows if it was not. */
  readonly dashboard: DashboardView;
  /** The S&P 500 over the month that ends with this session, from the stored rows. */
  readonly closes: ClosesView;
  readonly previous: SessionLink | null;
  readonly next: SessionLink | null;
  /** The numbers that differ from those of another session; null if no other session was requested. */
  readonly compared: {
    readonly other: SessionLink;
    /** Both days, the earlier one first. */
    readonly days: readonly { link: SessionLink; signal: SignalView }[];
    readonly view: CompareView;
  } | null;
}

interface PastDay {
  readonly session: string;
  /** The page as it was published, by today's words and formula; null if it was not published on its day. */
  readonly published: {
    /** Epoch ms. */
    readonly publishedAt: number;
    readonly view: DashboardView;
    /** False if the stored rows do not have their hash. */
    readonly isIntact: boolean;
    /** The formula of the score at that time; null if unknown. */
    readonly formulaVersion: string | null;
  } | null;
  /** The page of the same session, computed from the rows that are stored now. */
  readonly current: DashboardView;
  /** The S&P 500 up to this session. */
  readonly closes: readonly IndexClose[];
  /** The requested date if it has no data; the page then shows the session before that date. Otherwise null. */
  readonly askedFor: string | null;
  readonly previous: string | null;
  readonly next: string | null;
  /** Another session. `askedFor` is the date that was requested. */
  readonly compared: {
    readonly session: string;
    readonly askedFor: string;
    readonly view: DashboardView;
  } | null;
}

const MISSING = '—';

const linkTo = (session: string): SessionLink => ({ session, text: writeDay(session) });

const wordsOf = (...words: readonly (string | null | undefined)[]): string =>
  words.filter((word) => word !== null && word !== undefined && word !== '').join(' ');

/** All numbers of a page, section by section, without the sections that have no rows. */
export function pastSections(view: DashboardView): PastSection[] {
  const { indices, signal, sentiment, fearGreed, metrics, advanced, insights } = view;
  const sections: PastSection[] = [
    {
      title: 'Market Signal',
      figures: [
        { name: 'Verdict', text: signal.verdict },
        { name: 'Score', text: wordsOf(signal.score.text, signal.range?.text) },
        ...signal.rows.map(({ name, score, weightText, points }) => ({
          name,
          text: points.value === null ? score.text : `${score.text} × ${weightText} = ${points.text}`,
        })),
      ],
    },
    {
      title: 'Indices',
      figures: (indices?.items ?? []).map(({ name, price, change, changePercent }) => ({
        name,
        text: `${price.text} (${change.text}, ${changePercent.text})`,
      })),
    },
    {
      title: 'Fear & Greed',
      figures:
        fearGreed === null
          ? []
          : [
              { name: 'Index', text: wordsOf(fearGreed.current.text, fearGreed.current.label) },
              ...fearGreed.components.map(({ name, text, label }) => ({ name, text: wordsOf(text, label) })),
              ...fearGreed.earlier.map(({ name, text, label }) => ({ name, text: wordsOf(text, label) })),
            ],
    },
    {
      title: sentiment?.title ?? 'Market Sentiment',
      figures: (sentiment?.cards ?? []).flatMap(({ title, score, level, indicators }) => [
        { name: title, text: wordsOf(score.text, level) },
        ...indicators.map(({ name, value }) => ({ name: `${title}: ${name}`, text: value })),
      ]),
    },
    {
      title: 'Exposure and strength',
      figures: (metrics?.cards ?? []).map(({ title, text, suffix, value, label }) => ({
        name: title,
        text: wordsOf(value === null ? text : text + suffix, label),
      })),
    },
    {
      title: 'Indicators',
      figures: (advanced?.indicators?.items ?? []).map(({ name, text, label, missingText }) => ({
        name,
        text: missingText ?? wordsOf(text, label),
      })),
    },
    {
      title: 'Sectors',
      figures: (advanced?.sectors?.items ?? []).map(({ name, value, text, label }) => ({
        name,
        text: value === null ? text : wordsOf(`${text} / ${SECTOR_TOTAL}`, label),
      })),
    },
    {
      title: 'Market Breadth',
      figures:
        advanced?.breadth == null
          ? []
          : [
              {
                name: 'Advancing / declining',
                text: wordsOf(advanced.breadth.ratio.text, advanced.breadth.ratio.label),
              },
              ...advanced.breadth.parts.map(({ name, count, shareText }) => ({
                name,
                text: wordsOf(count.text, shareText === '' ? null : `(${shareText})`),
              })),
            ],
    },
    {
      title: insights?.title ?? 'Insights',
      figures: (insights?.items ?? []).map(({ dotText, text }) => ({ name: dotText ?? MISSING, text })),
    },
  ];
  return sections.filter(({ figures }) => figures.length > 0);
}

/**
 * The numbers that differ between two pages, in the order of the page. Sentences are left out, because they
 * repeat numbers.
 */
function differencesOf(before: DashboardView, after: DashboardView): PastChange[] {
  const figuresOf = (view: DashboardView) =>
    pastSections(view)
      .filter(({ title }) => title !== view.insights?.title)
      .flatMap(({ title, figures }) => figures.map((figure) => ({ section: title, ...figure })));
  const byKey = (view: DashboardView) =>
    new Map(figuresOf(view).map((figure) => [`${figure.section}: ${figure.name}`, figure]));
  const [was, is] = [byKey(before), byKey(after)];
  return [...new Map([...was, ...is])].flatMap(([key, { section, name }]) => {
    const change = {
      ...{ section, name },
      before: was.get(key)?.text ?? MISSING,
      after: is.get(key)?.text ?? MISSING,
    };
    return change.before === change.after ? [] : [change];
  });
}

function bannerOf(published: PastDay['published'], changes: readonly PastChange[]): string {
  if (published === null) return 'Computed later from stored data; nobody saw this page at the time';
  if (changes.length > 0)
    return `Corrected since: ${changes.length} ${changes.length === 1 ? 'value' : 'values'}`;
  const { publishedAt } = published;
  return `As published ${writeDay(marketDay(publishedAt))}, ${writeClock(publishedAt)} New York time`;
}

function notesOnCompared({ compared, published, current }: PastDay): string[] {
  if (compared === null) return [];
  const { session, askedFor, view } = compared;
  const isOwnDemo = (published?.view ?? current).demo !== null;
  return [
    ...(askedFor === session
      ? []
      : [`There is no data of ${writeDay(askedFor)}. The other session is ${writeDay(session)}.`]),
    ...(view.demo === null || isOwnDemo
      ? []
      : [`${writeDay(session)}: ${view.demo.text}. These are not numbers of the real market.`]),
  ];
}

function notesOf(day: PastDay): string[] {
  const { session, published, askedFor, current } = day;
  const demo = (published?.view ?? current).demo;
  return [
    ...(askedFor === null
      ? []
      : [`There is no data of ${writeDay(askedFor)}. This is ${writeDay(session)}.`]),
    ...(demo === null ? [] : [`${demo.text}. These are not numbers of the real market.`]),
    ...(published?.isIntact === false
      ? ['The stored rows do not match their hash, so they were changed afterwards.']
      : []),
    ...(published === null || published.formulaVersion === SIGNAL_FORMULA
      ? []
      : [
          `The score and the verdict follow from formula ${SIGNAL_FORMULA} of today, not from the one of that day.`,
        ]),
    ...notesOnCompared(day),
  ];
}

function comparedOf(
  session: string,
  view: DashboardView,
  other: PastDay['compared'],
): PastDayView['compared'] {
  if (other === null) return null;
  const days = [
    { session, view },
    { session: other.session, view: other.view },
  ].sort((a, b) => (a.session < b.session ? -1 : 1));
  const [earlier, later] = days;
  if (earlier === undefined || later === undefined) return null;
  return {
    other: linkTo(other.session),
    days: days.map((day) => ({ link: linkTo(day.session), signal: day.view.signal })),
    view: compareView(earlier.view, later.view, writeDay(earlier.session)),
  };
}

/** The page of a past session. */
export function pastDayView(day: PastDay): PastDayView {
  const { session, published, current, previous, next, compared } = day;
  const view = published?.view ?? current;
  const changes = published === null ? [] : differencesOf(published.view, current);
  return {
    session,
    title: writeDay(session),
    banner: bannerOf(published, changes),
    changes,
    notes: notesOf(day),
    dashboard: view,
    closes: closesView(day.closes),
    previous: previous === null ? null : linkTo(previous),
    next: next === null ? null : linkTo(next),
    compared: comparedOf(session, view, compared),
  };
}
