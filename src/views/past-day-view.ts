import { marketDay } from '#domain/calendar/sessions.ts';
import { writeClock, writeDay } from './day.ts';
import type { DashboardView } from './model.ts';

/** A displayed value with the name of its band: '42.8 Fear'. */
export interface PastFigure {
  readonly name: string;
  readonly text: string;
}

export interface PastSection {
  readonly title: string;
  readonly figures: readonly PastFigure[];
}

/** A link to another session. */
export interface SessionLink {
  readonly session: string;
  /** 'Fri 13 Nov 2026'. */
  readonly text: string;
}

/** A figure with two values; '—' where one of them lacks it. */
export interface PastChange {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

export interface PastDayView {
  readonly session: string;
  /** 'Mon 5 Oct 2026'. */
  readonly title: string;
  /** How the figures came about: published then, corrected since, or computed later. */
  readonly banner: string;
  /** Figures that were corrected or completed after the page was published. */
  readonly changes: readonly PastChange[];
  /** Further sentences: a date without data, a demonstration, a stored day that was changed. */
  readonly notes: readonly string[];
  readonly verdict: string;
  readonly score: string;
  readonly headline: string;
  readonly sections: readonly PastSection[];
  readonly previous: SessionLink | null;
  readonly next: SessionLink | null;
  /** The figures that differ from those of another session; null without one. */
  readonly compared: { readonly other: SessionLink; readonly differences: readonly PastChange[] } | null;
}

interface PastDay {
  readonly session: string;
  /** The page as it was published; null if nobody saw it. */
  readonly published: {
    /** Epoch ms. */
    readonly at: number;
    readonly view: DashboardView;
    readonly isIntact: boolean;
  } | null;
  /** The same page from the rows of today. */
  readonly current: DashboardView;
  /** The requested date if it has no data; the page is of the session before. */
  readonly askedFor: string | null;
  readonly previous: string | null;
  readonly next: string | null;
  readonly compared: { readonly session: string; readonly view: DashboardView } | null;
}

const MISSING = '—';

const linkTo = (session: string): SessionLink => ({ session, text: writeDay(session) });

const wordsOf = (...words: readonly (string | null | undefined)[]): string =>
  words.filter((word) => word !== null && word !== undefined && word !== '').join(' ');

/** Every figure of a page, section by section. Sections without rows are left out. */
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
      figures: (advanced?.indicators?.items ?? []).map(({ name, text, label, value, missingText }) => ({
        name,
        text: value === null ? missingText : wordsOf(text, label),
      })),
    },
    {
      title: 'Sectors',
      figures: (advanced?.sectors?.items ?? []).map(({ name, countText, label }) => ({
        name,
        text: wordsOf(countText, label),
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

/** The figures that differ between two pages, in the order of the page. Sentences are left out: they repeat figures. */
function differencesOf(before: DashboardView, after: DashboardView): PastChange[] {
  const figuresOf = (view: DashboardView) =>
    new Map(
      pastSections(view)
        .filter(({ title }) => title !== view.insights?.title)
        .flatMap(({ title, figures }) =>
          figures.map(({ name, text }) => [`${title}: ${name}`, text] as const),
        ),
    );
  const [was, is] = [figuresOf(before), figuresOf(after)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((name) => {
    const change = { name, before: was.get(name) ?? MISSING, after: is.get(name) ?? MISSING };
    return change.before === change.after ? [] : [change];
  });
}

function bannerOf(published: PastDay['published'], changes: readonly PastChange[]): string {
  if (published === null) return 'Computed later from stored data; nobody saw this page at the time';
  if (changes.length > 0)
    return `Corrected since: ${changes.length} ${changes.length === 1 ? 'value' : 'values'}`;
  const day = marketDay(published.at);
  return `As published ${writeDay(day)}, ${writeClock(published.at, day)} New York time`;
}

function notesOf({ session, published, askedFor, current }: PastDay): string[] {
  const demo = (published?.view ?? current).demo;
  return [
    ...(askedFor === null
      ? []
      : [`There is no data of ${writeDay(askedFor)}. This is ${writeDay(session)}.`]),
    ...(demo === null ? [] : [`${demo.text}: these are not figures of the market.`]),
    ...(published?.isIntact === false
      ? ['The stored page does not have the hash that was stored with it: it was changed afterwards.']
      : []),
  ];
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
    verdict: view.signal.verdict,
    score: view.signal.score.text,
    headline: view.signal.headline,
    sections: pastSections(view),
    previous: previous === null ? null : linkTo(previous),
    next: next === null ? null : linkTo(next),
    compared:
      compared === null
        ? null
        : { other: linkTo(compared.session), differences: differencesOf(view, compared.view) },
  };
}
