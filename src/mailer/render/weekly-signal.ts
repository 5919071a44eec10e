import type { WeeklySignalView } from '#views/model.ts';
import type { RenderedMail } from './mail.ts';
import { weeklySignalHtml } from './weekly-signal-html.ts';
import { weeklySignalText } from './weekly-signal-text.ts';
import { type SignalFrame, weeklySignalWords } from './weekly-signal-words.ts';

/** The mail of a week for one subscriber. Throws where an address of the frame is none of the web. */
export function renderWeeklySignal(view: WeeklySignalView, frame: SignalFrame): RenderedMail {
  const words = weeklySignalWords(view, frame);
  return { subject: words.view.subject, html: weeklySignalHtml(words), text: weeklySignalText(words) };
}
