import { writeDateAndMonth } from '../day.ts';
import { behindText, isStale } from '../page-texts.ts';
import { type CurrentData, demoText, isDemo, usableFearGreed } from './data-state.ts';

const NO_SCORE = { tone: null, unitText: '', scale: null } as const;

/** The signal: 'HOLD 54.3', 'Stale: HOLD 54.3', 'No signal' or 'No data'. Tone and scale are null for a grey card. */
function signalOf(data: CurrentData) {
  const { age, signal } = data.view;
  if (age === null) return { signalText: 'No data', ...NO_SCORE };
  if (signal.verdict === 'Insufficient data') return { signalText: 'No signal', ...NO_SCORE };
  const text = `${signal.verdict} ${signal.score.text}`;
  if (isStale(data.sessionsBehind)) return { signalText: `Stale: ${text}`, ...NO_SCORE, unitText: 'of 100' };
  const { value } = signal.score;
  const scale =
    value === null
      ? null
      : { score: value, low: signal.range?.low ?? null, high: signal.range?.high ?? null };
  return { signalText: text, tone: signal.verdict, unitText: 'of 100', scale };
}

/** 'As of Fri 20 Nov 2026, close' and the sessions behind, if any. */
function ageText({ view, sessionsBehind }: CurrentData): string {
  if (view.age === null) return 'Nothing has been measured yet.';
  return `As of ${view.age.asOf.text}${sessionsBehind ? `, ${behindText(sessionsBehind)}` : ''}`;
}

/** 'Fear & Greed 62.4, Greed', with its date if it is of an earlier session; null without a value that counts. */
function fearGreedText({ view }: CurrentData): string | null {
  const fearGreed = usableFearGreed(view);
  if (fearGreed === null) return null;
  const { current } = fearGreed.view;
  const older = fearGreed.olderText === null ? '' : `. ${fearGreed.olderText}`;
  return `Fear & Greed ${current.text}, ${current.label}${older}`;
}

/** The card that other sites embed. */
export function embedCard(data: CurrentData) {
  return {
    ...signalOf(data),
    fearGreedText: fearGreedText(data),
    ageText: ageText(data),
    demoText: demoText(data),
  };
}

export type EmbedCard = ReturnType<typeof embedCard>;

/** The newest signal as a badge, with its day. The verdict sets its colour: the badge of an old or missing signal is grey (null). */
export function badgeOf(data: CurrentData) {
  const demo = isDemo(data) ? 'demo ' : '';
  const grey = (message: string) => ({ message: `${demo}${message}`, verdict: null });
  const { age, signal } = data.view;
  if (age === null) return grey('no data');
  if (isStale(data.sessionsBehind)) return grey('stale');
  if (signal.verdict === 'Insufficient data') return grey('no signal');
  const day = writeDateAndMonth(age.asOf.session);
  return { message: `${demo}${signal.verdict} ${signal.score.text}, ${day}`, verdict: signal.verdict };
}
export type Badge = ReturnType<typeof badgeOf>;
