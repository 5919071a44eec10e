import { INDICATORS, type IndicatorKey, indicatorBand } from '#domain/bands/indicator-bands.ts';
import { EXCHANGE } from '#domain/breadth/universe.ts';
import type { AdvancedIndicatorsRow } from '#schema/columns.ts';
import { panelAsOf } from './day.ts';
import { figureOf } from './number.ts';
import { NOT_MEASURED } from './page-texts.ts';

/** Marks a TICK that is computed from minute prices of stocks instead of the exchange's trades as a proxy. */
function counted(key: IndicatorKey, universe: string | null): string | null {
  const isProxy = key === 'tickIndex' && universe !== null && universe !== EXCHANGE;
  return isProxy ? `${universe}, proxy` : universe;
}

export function indicatorsView(
  row: AdvancedIndicatorsRow | null,
  newest: string | null,
  putCallIsDue: boolean,
) {
  if (row === null) return null;
  const putCallText = putCallIsDue ? 'Published in the evening' : 'No value of this session';
  const items = (Object.keys(INDICATORS) as IndicatorKey[]).map((key) => {
    const indicator = INDICATORS[key];
    const figure = figureOf(indicator.quantity, row[indicator.column], indicator.writing);
    const state = figure.value === null ? null : indicatorBand(key, figure.value);
    return {
      key,
      name: indicator.name,
      ...figure,
      label: state?.label ?? null,
      tone: state?.tone ?? null,
      universe: state && 'universe' in indicator ? counted(key, row[indicator.universe]) : null,
      ...(figure.value === null && {
        missingText: key === 'putCallRatio' ? putCallText : NOT_MEASURED,
      }),
    };
  });
  return { asOf: panelAsOf(row.created_at, newest), items };
}
