import type { RecordView, RecordWeekView } from '#views/record-view.ts';
import { box, type Card, cardOf, inColour, nameOf, words } from './card.ts';
import { VERDICT_COLOURS } from './card-colours.ts';

export const RECORD_CARD_PATH = '/record.png';

const NO_SKILL = 'The signal describes the market. It does not forecast, and this record claims no skill.';

/**
 * Creates the image that other sites show beside a link to `/record`: the record's first market and its most important
 * number.
 */
export function recordCard({ segments }: RecordView, productName: string): Card {
  const [segment] = segments;
  return cardOf(
    box('head', nameOf(productName)),
    box(
      'record',
      words('title', 'The record of the weekly signal'),
      ...(segment === undefined
        ? [words('figure', 'No weekly signal has been decided yet')]
        : [
            words('headline', segment.title),
            words('title', segment.spanText),
            words('figure', segment.primary.text),
            ...(segment.primary.intervalText === null
              ? []
              : [words('headline', segment.primary.intervalText)]),
            words('headline', 'S&P 500 change in 4 weeks: after BUY minus after SELL'),
            words('title', segment.primary.note),
          ]),
    ),
    words('disclaimer', NO_SKILL),
  );
}

/** Creates the image for the page of one week. It shows when the signal of the week was decided. */
export function weekCard(view: RecordWeekView, productName: string): Card {
  const { title, verdict, signalText, facts, demoNote, grades } = view;
  const decided = facts.find(([name]) => name === 'Decided');
  const signal = words('verdict', signalText);
  return cardOf(
    box('head', nameOf(productName), ...(demoNote === null ? [] : [words('chip', 'Demonstration')])),
    box(
      'record',
      words('title', decided === undefined ? title : `${title}, decided ${decided[1]}`),
      verdict === null ? signal : inColour(VERDICT_COLOURS[verdict], signal),
      ...(grades.length === 0 ? [words('headline', 'No window of this week has ended yet')] : []),
      ...grades
        .filter(({ note }) => note === null)
        .map(({ horizonText, changeText }) =>
          words('headline', `S&P 500 over ${horizonText}: ${changeText}`),
        ),
    ),
    words('disclaimer', NO_SKILL),
  );
}
