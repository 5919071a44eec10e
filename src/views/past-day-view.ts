import { marketDay } from '#domain/calendar/sessions.ts';
import { SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import { closesView, type IndexClose } from './closes-view.ts';
import { compareView } from './compare-view.ts';
import { writeClock, writeDay } from './day.ts';
import type { DashboardView } from './model.ts';
import { countText, UNKNOWN } from './number.ts';
import { pageSections } from './page-sections.ts';

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

const linkTo = (session: string) => ({ session, text: writeDay(session) });
export type SessionLink = ReturnType<typeof linkTo>;

/** All numbers of a page as it shows them, by section and name. */
const figuresOf = (view: DashboardView) =>
  new Map(
    pageSections(view).flatMap(({ title, figures }) =>
      figures.map(({ name, text, word, full = [text, word].filter((part) => part != null).join(' ') }) => [
        `${title}: ${name}`,
        { section: title, name, text: full },
      ]),
    ),
  );

/** The numbers that differ between two pages, in the order of the page; '—' for a missing one. */
function differencesOf(before: DashboardView, after: DashboardView) {
  const [was, is] = [figuresOf(before), figuresOf(after)];
  return [...new Map([...was, ...is])].flatMap(([key, { section, name }]) => {
    const [before, after] = [was.get(key)?.text ?? UNKNOWN, is.get(key)?.text ?? UNKNOWN];
    return before === after ? [] : [{ section, name, before, after }];
  });
}
export type PastChange = ReturnType<typeof differencesOf>[number];

/** The origin of the numbers: published on that day, corrected since, or computed later. */
function bannerOf(published: PastDay['published'], changes: readonly PastChange[]): string {
  if (published === null) return 'Computed later from stored data; nobody saw this page at the time';
  if (changes.length > 0) return `Corrected since: ${countText(changes.length, 'value')}`;
  const { publishedAt } = published;
  return `As published ${writeDay(marketDay(publishedAt))}, ${writeClock(publishedAt)} New York time`;
}

const noData = (day: string) => `There is no data of ${writeDay(day)}.`;
const demoNote = (text: string) => `${text}. These are not numbers of the real market.`;

function notesOnCompared(compared: NonNullable<PastDay['compared']>, isOwnDemo: boolean): string[] {
  const { session, askedFor, view } = compared;
  const notes = [];
  if (askedFor !== session) notes.push(`${noData(askedFor)} The other session is ${writeDay(session)}.`);
  if (view.demo !== null && !isOwnDemo) notes.push(demoNote(`${writeDay(session)}: ${view.demo.text}`));
  return notes;
}

function notesOf({ session, published, askedFor, current, compared }: PastDay): string[] {
  const { demo } = published?.view ?? current;
  const notes = [];
  if (askedFor !== null) notes.push(`${noData(askedFor)} This is ${writeDay(session)}.`);
  if (demo !== null) notes.push(demoNote(demo.text));
  if (published?.isIntact === false)
    notes.push('The stored rows do not match their hash, so they were changed afterwards.');
  if (published !== null && published.formulaVersion !== SIGNAL_FORMULA)
    notes.push(
      `The score and the verdict follow from formula ${SIGNAL_FORMULA} of today, not from the one of that day.`,
    );
  return [...notes, ...(compared === null ? [] : notesOnCompared(compared, demo !== null))];
}

/** The numbers of two sessions that differ, and both sessions, the earlier one first. */
function comparedOf(session: string, view: DashboardView, other: NonNullable<PastDay['compared']>) {
  const own = { session, view };
  const [earlier, later] = session < other.session ? [own, other] : [other, own];
  return {
    other: linkTo(other.session),
    days: [earlier, later].map((day) => ({ link: linkTo(day.session), signal: day.view.signal })),
    view: compareView(earlier.view, later.view, writeDay(earlier.session)),
  };
}

/** The page of a past session. */
export function pastDayView(day: PastDay) {
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
    compared: compared && comparedOf(session, view, compared),
  };
}
export type PastDayView = ReturnType<typeof pastDayView>;
