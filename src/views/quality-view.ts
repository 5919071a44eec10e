import { marketDay } from '#domain/calendar/sessions.ts';
import { writeClock, writeDate, writeDay } from './day.ts';
import { INPUT_WORDS, PROVIDER_WORDS } from './input-words.ts';

/** A fault of the data, or its end, as it is stored. */
interface StoredEvent {
  /** Epoch ms. */
  readonly at: number;
  readonly session: string | null;
  readonly kind: string;
  readonly input: string | null;
  readonly provider: string | null;
  readonly detail: string | null;
  readonly before: string | null;
  readonly after: string | null;
}

interface Quality {
  /** Ascending. */
  readonly sessions: readonly string[];
  /** Newest first. */
  readonly events: readonly StoredEvent[];
  /** Records whose content does not have the hash that was stored with it. */
  readonly damaged: readonly string[];
}

/** The worst that happened to a session, by its word. */
export type SessionState = 'Complete' | 'Open gap' | 'Completed' | 'Corrected' | 'Other event';

export const SESSION_SIGNS: Readonly<Record<SessionState, string>> = {
  Complete: '·',
  'Open gap': '✕',
  Completed: '✓',
  Corrected: '±',
  'Other event': '!',
};

export interface QualityView {
  /** One sentence: the number of open gaps. */
  readonly summary: string;
  /** One sentence about records that were changed afterwards; null if all are intact. */
  readonly damagedText: string | null;
  /** Ascending; the state of each session. */
  readonly sessions: readonly { session: string; text: string; state: SessionState }[];
  /** Newest first. */
  readonly events: readonly { atText: string; session: string | null; sessionText: string; text: string }[];
}

const gapKey = ({ session, input }: StoredEvent) => `${session} ${input}`;

/** The missing and late inputs that have not got their value since. */
export function openGaps<Event extends StoredEvent>(events: readonly Event[]): Event[] {
  const completed = new Set(events.filter(({ kind }) => kind === 'completed').map(gapKey));
  return events.filter(
    (event) => (event.kind === 'missing' || event.kind === 'late') && !completed.has(gapKey(event)),
  );
}

/** 'No open gaps', '1 open gap', '2 open gaps'. */
export function gapsText(count: number): string {
  return `${count === 0 ? 'No' : count} open ${count === 1 ? 'gap' : 'gaps'}`;
}

function nameOf(input: string | null): string | null {
  if (input === null) return null;
  const words = INPUT_WORDS[input];
  if (words === undefined) return input.replaceAll('_', ' ');
  return words.part === null ? words.group : `${words.group}, ${words.part}`;
}

const CHANGED = ['corrected', 'formula changed', 'universe changed'];

function textOf({ kind, input, provider, detail, before, after }: StoredEvent): string {
  const word = kind.charAt(0).toUpperCase() + kind.slice(1);
  const from = provider === null ? null : (PROVIDER_WORDS[provider] ?? provider);
  const change = CHANGED.includes(kind) ? `from ${before} to ${after}` : null;
  const parts = [nameOf(input), change, from, detail].filter((part) => part !== null);
  return parts.length === 0 ? word : `${word}: ${parts.join('; ')}`;
}

function stateOf(events: readonly StoredEvent[], open: readonly StoredEvent[]): SessionState {
  if (events.length === 0) return 'Complete';
  if (events.some((event) => open.includes(event))) return 'Open gap';
  if (events.some(({ kind }) => kind === 'corrected')) return 'Corrected';
  return events.some(({ kind }) => kind === 'completed') ? 'Completed' : 'Other event';
}

/** The quality of the data of the newest sessions. */
export function qualityView({ sessions, events, damaged }: Quality): QualityView {
  const open = openGaps(events);
  return {
    summary: `${gapsText(open.length)} in the last ${sessions.length} sessions.`,
    damagedText:
      damaged.length === 0
        ? null
        : `The content of ${damaged.length} ${damaged.length === 1 ? 'record' : 'records'} was changed afterwards: ${damaged.join(', ')}.`,
    sessions: sessions.map((session) => ({
      session,
      text: writeDate(session),
      state: stateOf(
        events.filter((event) => event.session === session),
        open,
      ),
    })),
    events: events.map((event) => {
      const day = marketDay(event.at);
      return {
        atText: `${writeDay(day)}, ${writeClock(event.at, day)}`,
        session: event.session,
        sessionText: event.session === null ? '—' : writeDate(event.session),
        text: textOf(event),
      };
    }),
  };
}
