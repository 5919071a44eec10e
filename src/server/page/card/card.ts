import type { Node } from '@takumi-rs/wasm';
import type { DashboardView } from '#views/dashboard-view.ts';
import type { FearGreedView } from '#views/fear-greed-view.ts';
import { usableFearGreed } from '#views/outputs/data-state.ts';
import type { SignalView } from '#views/signal-view.ts';
import { SIGNAL_ZONES, VERDICT_HUES } from '#views/zones.ts';
import cardCss from './card.css?raw';
import { colour } from './card-colours.ts';
import { GAUGE_SIZE, gaugePicture, SCALE, scalePicture } from './pictures.ts';

/** Characters that the image's font lacks. */
const NOT_IN_FONT =
  /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\u0020-\u007e\u00a1-\u00ff\u2010-\u2026€™]/gu;

/** Removes the characters that the image's font would draw as empty boxes from a name. */
export function drawable(name: string): string {
  return name.normalize('NFC').replace(NOT_IN_FONT, '').replace(/ +/g, ' ').trim();
}

export const CARD_PATH = '/og.png';
/** The size of a share image that other sites expect (px). */
export const CARD_SIZE = { width: 1200, height: 630 } as const;

/** An image as plain data: its content, its style, and its SVG drawings by name. */
export interface Card {
  readonly node: Node;
  readonly css: string;
  readonly drawings: Readonly<Record<string, string>>;
}

const SCALE_DRAWING = 'scale.svg';
const GAUGE_DRAWING = 'gauge.svg';
const GAUGE_WIDTH = 320;

export const box = (className: string, ...children: Node[]): Node => ({
  type: 'container',
  className,
  children,
});
export const words = (className: string, text: string): Node => ({ type: 'text', className, text });
export const drawing = (src: string, width: number, height: number): Node => ({
  type: 'image',
  src,
  width,
  height,
});

export const inColour = (name: string, node: Node): Node => ({ ...node, style: { color: colour(name) } });

function onScale(className: string, value: number, text: string): Node {
  return { ...words(className, text), style: { left: (value / 100) * SCALE.width } };
}

export const nameOf = (productName: string) => words('name', `${drawable(productName)} Dashboard`.trim());

function headRow({ age }: DashboardView, productName: string, pastDay: string | null): Node {
  return box(
    'head',
    nameOf(productName),
    ...(pastDay === null ? [] : [words('chip past', `Past day: ${pastDay}`)]),
    ...(age === null || pastDay !== null ? [] : [words('as-of', `As of ${age.asOf.text}`)]),
  );
}

function verdictLine({ score, verdict }: SignalView): Node {
  if (verdict === 'Insufficient data') return box('verdict-line', words('verdict verdict-none', verdict));
  return box(
    'verdict-line',
    inColour(VERDICT_HUES[verdict], words('verdict', verdict)),
    words('score', score.text),
    words('of', 'of 100'),
  );
}

function signalPart({ signal, demo }: DashboardView): Node {
  const { headline } = signal;
  return box(
    'signal',
    box('title-row', words('title', 'Market Signal'), ...(demo === null ? [] : [words('chip', demo.text)])),
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

/** Creates an image in the page's dark theme that shows these parts from top to bottom. */
export function cardOf(...parts: Node[]): Card {
  const colours = COLOURS.map((name) => `--${name}: ${colour(name)};`).join('');
  return { node: box('picture', ...parts), css: `:root{${colours}}${cardCss}`, drawings: {} };
}

/** Creates the image for links to the page. `pastDay` is the date in words of a past day. Text is data, never markup. */
export function readingCard(view: DashboardView, productName: string, pastDay: string | null = null): Card {
  const { signal } = view;
  // The image shows one date, so it omits a Fear & Greed value of an earlier session.
  const dated = usableFearGreed(view);
  const fearGreed = dated?.olderText === null ? dated.view : null;
  return {
    ...cardOf(
      headRow(view, productName, pastDay),
      box('middle', signalPart(view), ...(fearGreed === null ? [] : [fearGreedPart(fearGreed)])),
      words('disclaimer', `${signal.measuredText} ${signal.disclaimer}`),
    ),
    drawings: {
      [SCALE_DRAWING]: scalePicture(signal),
      ...(fearGreed !== null && { [GAUGE_DRAWING]: gaugePicture(fearGreed) }),
    },
  };
}
