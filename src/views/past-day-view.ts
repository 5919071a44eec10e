import { marketDay } from '#domain/calendar/sessions.ts';
import { SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import { closesView, type IndexClose } from './closes-view.ts';
import { compareView } from './compare-view.ts';
import type { DashboardView } from './dashboard-view.ts';
import { writeClock, writeDay } from './day.ts';
import { countText, UNKNOWN } from './number.ts';
import { pageSections } from './page-sections.ts';

interface ShownDay {
  readonly session: string;
  /** The page as it was published, by today's words and formula; null if it was not published on its day. */
  readonly published: {
    readonly publishedAt: number;
    readonly view: DashboardView;
    readonly isIntact: boolean;
    /** The formula of the score at that time; null if unknown. */
    readonly formulaVersion: string | null;
  } | null;
  /** The page of the same session, computed from the rows that are stored now. */
  readonly current: DashboardView;
}

interface PastDay extends ShownDay {
  readonly closes: readonly IndexClose[];
  /** The requested date if it has no data; the page then shows the session before that date. Otherwise null. */
  readonly askedFor: string | null;
  readonly previous: string | null;
  readonly next: string | null;
  /** Another session. `askedFor` is the date that was requested. */
  readonly compared: (ShownDay & { readonly askedFor: string }) | null;
}

const linkTo = (session: string) => ({ session, text: writeDay(session) });
export type SessionLink = ReturnType<typeof linkTo>;

const figuresOf = (view: DashboardView) =>
  new Map(
    pageSections(view).flatMap(({ title, figures }) =>
      figures.map(({ name, text, word, full = [text, word].filter((part) => part != null).join(' ') }) => [
        `${title}: ${name}`,
        { section: title, name, text: full },
      ]),
    ),
  );

function differencesOf(before: DashboardView, after: DashboardView) {
  const [was, is] = [figuresOf(before), figuresOf(after)];
  return [...new Map([...was, ...is])].flatMap(([key, { section, name }]) => {
    const [before, after] = [was.get(key)?.text ?? UNKNOWN, is.get(key)?.text ?? UNKNOWN];
    return before === after ? [] : [{ section, name, before, after }];
  });
}
export type PastChange = ReturnType<typeof differencesOf>[number];

function bannerOf(published: PastDay['published'], changes: readonly PastChange[]): string {
  if (published === null) return 'Computed later from stored data; nobody saw this page at the time';
  if (changes.length > 0) return `Corrected since: ${countText(changes.length, 'value')}`;
  const { publishedAt } = published;
  return `As published ${writeDay(marketDay(publishedAt))}, ${writeClock(publishedAt)} New York time`;
}

const noData = (day: string) => `There is no data of ${writeDay(day)}.`;

function datesWithoutData({ session, askedFor, compared }: PastDay): string[] {
  const notes = [];
  if (askedFor !== null) notes.push(`${noData(askedFor)} This is ${writeDay(session)}.`);
  if (compared !== null && compared.askedFor !== compared.session)
    notes.push(`${noData(compared.askedFor)} The other session is ${writeDay(compared.session)}.`);
  return notes;
}

function shownDay({ session, published, current }: ShownDay) {
  const view = published?.view ?? current;
  const changes = published === null ? [] : differencesOf(published.view, current);
  const notes = [];
  const { demo } = view;
  if (demo !== null) notes.push(`${demo.text}. These are not numbers of the real market.`);
  if (published?.isIntact === false)
    notes.push('The stored rows do not match their hash, so they were changed afterwards.');
  if (published !== null && published.formulaVersion !== SIGNAL_FORMULA)
    notes.push(
      `The score and the verdict follow from formula ${SIGNAL_FORMULA} of today, not from the one of that day.`,
    );
  return { session, view, changes, banner: bannerOf(published, changes), notes };
}

function comparedOf(own: ReturnType<typeof shownDay>, other: ReturnType<typeof shownDay>) {
  const [earlier, later] = own.session < other.session ? [own, other] : [other, own];
  return {
    other: linkTo(other.session),
    days: [earlier, later].map(({ session, view, banner, notes }) => ({
      ...{ link: linkTo(session), signal: view.signal, banner, notes },
    })),
    view: compareView(earlier.view, later.view, writeDay(earlier.session)),
  };
}

export function pastDayView(day: PastDay) {
  const { session, previous, next, compared } = day;
  const own = shownDay(day);
  return {
    session,
    title: writeDay(session),
    banner: own.banner,
    changes: own.changes,
    notes: [...datesWithoutData(day), ...(compared === null ? own.notes : [])],
    dashboard: own.view,
    closes: closesView(day.closes),
    previous: previous === null ? null : linkTo(previous),
    next: next === null ? null : linkTo(next),
    compared: compared && comparedOf(own, shownDay(compared)),
  };
}
export type PastDayView = ReturnType<typeof pastDayView>;
