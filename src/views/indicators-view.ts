import type { Tone } from '#domain/bands/band.ts';
import {
  highLowBand,
  mcclellanBand,
  putCallBand,
  tickBand,
  trinBand,
  vixBand,
} from '#domain/bands/indicator-bands.ts';
import type { Quantity } from '#domain/bands/precision.ts';
import { EXCHANGE } from '#domain/breadth/universe.ts';
import type { AdvancedIndicatorsRow } from '#schema/advanced-indicators.ts';
import { panelAsOf } from './day.ts';
import type { AdvancedView, IndicatorItem } from './model.ts';
import { NOT_MEASURED } from './not-measured.ts';
import { figureOf } from './number.ts';

interface Definition {
  key: IndicatorItem['key'];
  name: string;
  quantity: Quantity;
  value: number | null;
  band: (value: number) => { label: string; tone: Tone };
  universe?: string | null;
  signed?: boolean;
  suffix?: string;
  missingText?: string;
}

/** A rising VIX is bad news for holders of stocks. */
function vixChangeBand(change: number): { label: string; tone: Tone } {
  if (change === 0) return { label: 'Unchanged', tone: 'neutral' };
  return change > 0 ? { label: 'Rising', tone: 'negative' } : { label: 'Falling', tone: 'positive' };
}

/** The word for a TICK: its band gives the size of the lead, its sign the direction. */
function tickReading(tick: number): { label: string; tone: Tone } {
  const { label } = tickBand(tick);
  if (label === 'Moderate') return { label, tone: 'neutral' };
  return { label, tone: tick > 0 ? 'positive' : 'negative' };
}

/** Marks a TICK that is computed from minute prices of stocks instead of the exchange's trades as a proxy. */
function tickUniverse(universe: string | null): string | null {
  return universe === null || universe === EXCHANGE ? universe : `${universe}, proxy`;
}

function definitionsOf(row: AdvancedIndicatorsRow, putCallIsDue: boolean): Definition[] {
  return [
    { key: 'vix', name: 'VIX', quantity: 'vix', value: row.vix, band: vixBand },
    {
      key: 'vixChange',
      name: 'VIX Change',
      quantity: 'vix',
      value: row.vix_change,
      band: vixChangeBand,
      signed: true,
    },
    {
      key: 'putCallRatio',
      name: 'Put/Call Ratio',
      quantity: 'ratio',
      value: row.put_call_ratio,
      band: putCallBand,
      missingText: putCallIsDue ? 'Published in the evening' : NOT_MEASURED,
    },
    {
      key: 'trin',
      name: 'TRIN',
      quantity: 'ratio',
      value: row.trin,
      band: trinBand,
      universe: row.trin_universe,
    },
    {
      key: 'mcclellanOscillator',
      name: 'McClellan Oscillator',
      quantity: 'mcclellan',
      value: row.mcclellan_oscillator,
      band: mcclellanBand,
      universe: row.mcclellan_universe,
      signed: true,
    },
    {
      key: 'highLowIndex',
      name: 'High/Low Index',
      quantity: 'score',
      value: row.high_low_index,
      band: highLowBand,
      universe: row.high_low_universe,
      suffix: '%',
    },
    {
      key: 'tickIndex',
      name: 'TICK Index',
      quantity: 'tick',
      value: row.tick_index,
      band: tickReading,
      universe: tickUniverse(row.tick_universe),
      signed: true,
    },
  ];
}

/** The seven indicators, with their words; null without a row. */
export function indicatorsView(
  row: AdvancedIndicatorsRow | null,
  newest: string | null,
  putCallIsDue: boolean,
): AdvancedView['indicators'] {
  if (row === null) return null;
  const items = definitionsOf(row, putCallIsDue).map((definition) => {
    const { key, name, quantity, value, band, universe, missingText = NOT_MEASURED, ...writing } = definition;
    const figure = figureOf(quantity, value, writing);
    const state = figure.value === null ? null : band(figure.value);
    return {
      key,
      name,
      ...figure,
      label: state?.label ?? null,
      tone: state?.tone ?? null,
      universe: figure.value === null ? null : (universe ?? null),
      missingText,
    };
  });
  return { asOf: panelAsOf(row.created_at, newest), items };
}
