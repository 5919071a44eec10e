import type { Node } from '@takumi-rs/wasm';
import type { RecordChartView } from '#views/record-chart-view.ts';
import type { RecordView } from '#views/record-view.ts';
import type { RecordWeekView } from '#views/record-week-view.ts';
import { VERDICT_HUES } from '#views/zones.ts';
import { box, type Card, cardOf, drawing, inColour, nameOf, words } from './card.ts';
import { RECORD, recordHeight, recordPicture } from './pictures.ts';

export const RECORD_CARD_PATH = '/record.png';

const NO_SKILL = 'The signal describes the market. It does not forecast, and this record claims no skill.';

const RECORD_DRAWING = 'record.svg';
/** Widths of a year and of a month below the chart, as shares of the chart. */
const YEAR_WIDTH = 0.08;
const MONTH_WIDTH = 0.15;

/** The years or months whose texts do not overlap, at their places below the chart. */
function tickWords({ ticks, areYears, span }: RecordChartView): Node[] {
  const width = areYears ? YEAR_WIDTH : MONTH_WIDTH;
  let end = 0;
  return ticks.flatMap(({ at, text }) => {
    const share = at / span.to;
    if (share < end || share > 1 - width / 2) return [];
    end = share + width;
    return [{ ...words('year', text), style: { left: share * RECORD.width } }];
  });
}

function recordPart(chart: RecordChartView): Node {
  const [fall] = chart.falls;
  return box(
    'record-chart',
    box(
      'record-plot',
      drawing(RECORD_DRAWING, RECORD.width, recordHeight(chart)),
      box('record-years', ...tickWords(chart)),
    ),
    box(
      'record-verdicts',
      ...chart.spells.map(({ verdict }) => inColour(VERDICT_HUES[verdict], words('lane', verdict))),
    ),
    words(
      'title',
      fall === undefined ? chart.verdictsText : `${chart.verdictsText}. Largest fall ${fall.percentText}`,
    ),
  );
}

/** Creates the image for links to `/record`: the chart of the first market, or the number of weeks without a chart. */
export function recordCard({ segments }: RecordView, productName: string): Card {
  const [segment] = segments;
  const chart = segment?.chart ?? null;
  const card = cardOf(
    box('head', nameOf(productName), ...(segment?.demoNote == null ? [] : [words('chip', 'Demonstration')])),
    ...(chart === null
      ? [
          box(
            'record',
            words(
              'figure',
              segment === undefined ? 'No weekly signal has been decided yet' : segment.spanText,
            ),
          ),
        ]
      : [words('title', segment?.spanText ?? ''), recordPart(chart)]),
    words('disclaimer', NO_SKILL),
  );
  return chart === null ? card : { ...card, drawings: { [RECORD_DRAWING]: recordPicture(chart) } };
}

/** Creates the image for the page of one week. It shows when the signal of the week was decided. */
export function weekCard(view: RecordWeekView, productName: string): Card {
  const { title, verdict, signalText, facts, demoNote, grades } = view;
  const [decided] = facts;
  const signal = words('verdict', signalText);
  return cardOf(
    box('head', nameOf(productName), ...(demoNote === null ? [] : [words('chip', 'Demonstration')])),
    box(
      'record',
      words('title', decided === undefined ? title : `${title}, ${decided[0].toLowerCase()} ${decided[1]}`),
      verdict === null ? signal : inColour(VERDICT_HUES[verdict], signal),
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
