import { dateOf, parseDay, weekdayOf } from '#domain/calendar/days.ts';
import { marketDay } from '#domain/calendar/sessions.ts';
import { writeClock, writeDay, writeDayWithoutYear, writeMonth } from './day.ts';
import { capitalised, countOf, countText, UNKNOWN } from './number.ts';
import { INPUT_WORDS, PROVIDER_WORDS } from './origins-view.ts';
import { demoTextOf } from './sources-view.ts';

type EventText = 'session' | 'input' | 'provider' | 'detail' | 'before' | 'after';
/** A fault of the data, or the end of such a fault, and the time of its record (epoch ms). */
export type QualityEvent = Readonly<Record<EventText, string | null>> & {
  readonly at: number;
  readonly kind: string;
};

export interface Quality extends Gaps {
  readonly source: string | null;
  /** Sessions of publications without the hash that was stored with them, each as often as it was published so. */
  readonly damaged: readonly string[];
}

/** The newest sessions, ascending, and their events, newest first. */
export interface Gaps {
  readonly sessions: readonly string[];
  /** Sessions in which no gap was looked for: their rows come from files, were computed later or are not final yet. */
  readonly unchecked: readonly string[];
  readonly events: readonly QualityEvent[];
}

/** The words for the worst event of a session, and their signs. */
export const SESSION_SIGNS = {
  Complete: '●',
  'Not checked': '○',
  Late: '◐',
  Gap: '✕',
  Fixed: '±',
  Edited: '≠',
  Event: '!',
};
export type SessionState = keyof typeof SESSION_SIGNS;

const MOST_LISTED = 200;

const gapKey = ({ session, input }: QualityEvent) => `${session} ${input}`;

export function openGaps<Event extends QualityEvent>(events: readonly Event[]): Event[] {
  const completed = new Set(events.filter(({ kind }) => kind === 'completed').map(gapKey));
  return events.filter(
    (event) => (event.kind === 'missing' || event.kind === 'late') && !completed.has(gapKey(event)),
  );
}

/** The number of open gaps, and of the sessions in which they were looked for. */
export function gapCount({ sessions, unchecked, events }: Gaps) {
  const open = openGaps(events).filter(({ session }) => session !== null && session >= (sessions[0] ?? ''));
  return { open: open.length, checked: sessions.length - unchecked.length, sessions: sessions.length };
}
export type GapCount = ReturnType<typeof gapCount>;

/** '2 open gaps in 90 sessions'; '1 of 90 sessions checked, no open gaps'; 'No session checked yet'. */
export function gapsText({ open, checked, sessions }: GapCount): string {
  const gaps = `${open === 0 ? 'no' : open} open ${open === 1 ? 'gap' : 'gaps'}`;
  if (checked === sessions) return `${capitalised(gaps)} in ${sessions} sessions`;
  // Without a check, no gap was looked for.
  if (checked === 0 && open === 0) return 'No session checked yet';
  return `${checked} of ${sessions} sessions checked, ${gaps}`;
}

function nameOf(input: string | null): string | null {
  if (input === null) return null;
  const words = INPUT_WORDS[input];
  if (words === undefined) return input.replace(/^(market|advanced)_\w+ /, '').replaceAll('_', ' ');
  return words.part === null ? words.group : `${words.group}, ${words.part}`;
}

/** A stored number with at most two decimals, and with % if the column is a percentage. */
const rounded = (value: string | null, input: string | null) =>
  `${Number(Number(value).toFixed(2))}${input?.endsWith('market_exposure') ? '%' : ''}`;

/** 'Fri 13 Nov', or the text itself if there is no such day. */
const writeDateOrText = (text: string) => (Number.isNaN(parseDay(text)) ? text : writeDayWithoutYear(text));

const CHANGED = ['corrected', 'formula changed', 'universe changed'];

const EVENT_WORDS: ReadonlyMap<string, SessionState> = new Map([
  ['missing', 'Gap'],
  ['late', 'Gap'],
  ['completed', 'Late'],
  ['corrected', 'Fixed'],
]);

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

function textOf({ kind, input, provider, detail, before, after }: QualityEvent): string {
  const word = EVENT_WORDS.get(kind) ?? capitalised(kind);
  const from = provider === null ? null : (PROVIDER_WORDS[provider] ?? provider);
  const [was, is] = kind === 'corrected' ? [rounded(before, input), rounded(after, input)] : [before, after];
  const change = CHANGED.includes(kind) ? `from ${was} to ${is}` : null;
  const dated = detail?.replace(/\d{4}-\d{2}-\d{2}/g, writeDateOrText) ?? null;
  const subject = [nameOf(input), from].filter((part) => part !== null).join(' from ');
  const told = dated?.replace(/\.$/, '') ?? '';
  const parts = [subject, change, subject === '' ? told : lowerFirst(told)].filter((part) => part);
  return parts.length === 0 ? word : `${word}: ${parts.join('; ')}`;
}

function stateOf(
  events: readonly QualityEvent[],
  open: readonly QualityEvent[],
  isUnchecked: boolean,
): SessionState {
  if (events.length === 0) return isUnchecked ? 'Not checked' : 'Complete';
  if (events.some((event) => open.includes(event))) return 'Gap';
  if (events.some(({ kind }) => kind === 'corrected')) return 'Fixed';
  return events.some(({ kind }) => kind === 'completed') ? 'Late' : 'Event';
}

function monthsOf<Cell extends { session: string }>(cells: readonly Cell[]) {
  const nameOf = ({ session }: Cell) => writeMonth(parseDay(session));
  const names = [...new Set(cells.map(nameOf))];
  return names.map((name) => ({ name, sessions: cells.filter((cell) => nameOf(cell) === name) }));
}

export function qualityView({ sessions, unchecked, source, events, damaged }: Quality) {
  const gaps = gapCount({ sessions, unchecked, events });
  const open = openGaps(events);
  const changed = [...new Set(damaged)];
  return {
    summary: `${gapsText(gaps)}.`,
    uncheckedText:
      unchecked.length === 0
        ? null
        : `${countText(unchecked.length, 'session')} ${unchecked.length === 1 ? 'was' : 'were'} not checked, because the numbers come from files, were computed later or are not final yet. An input may have been missing or late in them.`,
    demoText: demoTextOf(source),
    damagedText:
      damaged.length === 0
        ? null
        : `${changed.length === 1 ? 'The stored copy of a session was changed after it was' : 'The stored copies of some sessions were changed after they were'} published: ${changed.map(writeDay).join(', ')}.`,
    months: monthsOf(
      sessions.map((session) => {
        const own = events.filter((event) => event.session === session);
        const state = changed.includes(session) ? 'Edited' : stateOf(own, open, unchecked.includes(session));
        const day = parseDay(session);
        return { session, date: dateOf(day).date, weekday: weekdayOf(day), state };
      }),
    ),
    noneText: `No fault was recorded${gaps.checked === 0 ? ', because no session was checked' : ''}.`,
    restText:
      events.length > MOST_LISTED
        ? `The newest ${MOST_LISTED} of ${countOf(events.length).text} events are listed.`
        : null,
    events: [
      // They have no time: building the page compares the copies with their hashes.
      ...changed.map((session) => ({
        atText: 'Found now',
        session,
        sessionText: writeDayWithoutYear(session),
        text: 'Edited: the stored copy was changed after it was published',
      })),
      ...events.slice(0, MOST_LISTED).map((event) => {
        const day = marketDay(event.at);
        return {
          atText: `${writeDay(day)}, ${writeClock(event.at)}`,
          session: event.session,
          sessionText: event.session === null ? UNKNOWN : writeDayWithoutYear(event.session),
          text: textOf(event),
        };
      }),
    ],
  };
}
export type QualityView = ReturnType<typeof qualityView>;
