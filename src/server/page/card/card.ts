import type { Node } from '@takumi-rs/wasm';
import type { DashboardView, FearGreedView, SignalView } from '#views/model.ts';
import { SIGNAL_ZONES } from '#views/zones.ts';
import cardCss from './card.css?raw';
import { colour, VERDICT_COLOURS } from './card-colours.ts';
import { GAUGE_SIZE, gaugePicture } from './gauge-picture.ts';
import { SCALE, scalePicture } from './scale-picture.ts';

/** Characters that the image's font lacks. */
const NOT_IN_FONT =
  /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\u0020-\u007e\u00a1-\u00ff\u2010-\u2026€™]/gu;

/** A name without the characters that the font would draw as empty boxes. */
export function drawable(name: string): string {
  return name.normalize('NFC').replace(NOT_IN_FONT, '').replace(/ +/g, ' ').trim();
}

export const CARD_PATH = '/og.png';
/** The image size that other sites expect. */
export const CARD_SIZE = { width: 1200, height: 630 } as const;

/** An image as plain data: content, style, and the SVG drawings by name. */
export interface Card {
  readonly node: Node;
  readonly css: string;
  readonly drawings: Readonly<Record<string, string>>;
}

const SCALE_DRAWING = 'scale.svg';
const GAUGE_DRAWING = 'gauge.svg';
const GAUGE_WIDTH = 320;

const box = (className: string, ...children: Node[]): Node => ({ type: 'container', className, children });
const words = (className: string, text: string): Node => ({ type: 'text', className, text });
const drawing = (src: string, width: number, height: number): Node => ({ type: 'image', src, width, height });

const inColour = (name: string, node: Node): Node => ({ ...node, style: { color: colour(name) } });

/** Text centred on a value of the scale. */
function onScale(className: string, value: number, text: string): Node {
  return { ...words(className, text), style: { left: (value / 100) * SCALE.width } };
}

function headRow({ demo, age }: DashboardView, productName: string): Node {
  return box(
    'head',
    words('name', `${drawable(productName)} Dashboard`.trim()),
    ...(demo === null ? [] : [words('chip', demo.text)]),
    ...(age === null ? [] : [words('as-of', `As of ${age.asOf.text}`)]),
  );
}

function verdictLine({ score, verdict }: SignalView): Node {
  if (verdict === 'Insufficient data') return box('verdict-line', words('verdict verdict-none', verdict));
  return box(
    'verdict-line',
    inColour(VERDICT_COLOURS[verdict], words('verdict', verdict)),
    words('score', score.text),
    words('of', 'of 100'),
  );
}

function signalPart(signal: SignalView): Node {
  const { headline } = signal;
  return box(
    'signal',
    words('title', 'Market Signal'),
    verdictLine(signal),
    words('headline', headline),
    box(
      'scale',
      drawing(SCALE_DRAWING, SCALE.width, SCALE.height),
      ...SIGNAL_ZONES.map((zone) => onScale('zone', (zone.from + zone.to) / 2, zone.verdict)),
      ...SIGNAL_ZONES.filter(({ from }) => from > 0).map(({ from }) => onScale('cut', from, String(from))),
    ),
  );
}

function fearGreedPart({ current }: FearGreedView): Node {
  return box(
    'fear-greed',
    words('title', 'Fear & Greed'),
    drawing(GAUGE_DRAWING, GAUGE_WIDTH, (GAUGE_WIDTH * GAUGE_SIZE.height) / GAUGE_SIZE.width),
    words('value', current.text),
    inColour(current.zone, words('label', current.label)),
  );
}

const COLOURS = ['ground', 'card', 'line', 'text', 'secondary', 'notice'] as const;

/**
 * The image that other sites show beside a link to the page: the current reading in the page's dark theme. All text is the
 * page's own, passed as data and never as markup.
 */
export function readingCard(view: DashboardView, productName: string): Card {
  const { signal } = view;
  // The card has one date, so an index of an earlier session is left out.
  const fearGreed = view.fearGreed?.asOf.older === null ? view.fearGreed : null;
  const colours = COLOURS.map((name) => `--${name}: ${colour(name)};`).join('');
  return {
    node: box(
      'picture',
      headRow(view, productName),
      box('middle', signalPart(signal), ...(fearGreed === null ? [] : [fearGreedPart(fearGreed)])),
      words('disclaimer', `${signal.inputsText}. ${signal.disclaimer}`),
    ),
    css: `:root{${colours}}${cardCss}`,
    drawings: {
      [SCALE_DRAWING]: scalePicture(signal),
      ...(fearGreed !== null && { [GAUGE_DRAWING]: gaugePicture(fearGreed) }),
    },
  };
}
