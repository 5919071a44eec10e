import { INDICATORS, type IndicatorKey } from '#domain/bands/indicator-bands.ts';
import { GICS_SECTORS } from '#domain/sectors/absent-sectors.ts';
import type { StoredFigure } from '#schema/columns.ts';

export type { StoredFigure };

const METRIC_COLUMNS = { marketExposure: 'market_exposure', overallStrength: 'overall_strength' } as const;
type MetricKey = keyof typeof METRIC_COLUMNS;

export type HistoryFigure = MetricKey | IndicatorKey | { readonly sector: string };

export const isMetric = (figure: MetricKey | IndicatorKey): figure is MetricKey => figure in METRIC_COLUMNS;

export function storedFigure(figure: HistoryFigure): StoredFigure {
  if (typeof figure === 'object') return { table: 'sector_strength', column: 'strength', ...figure };
  if (isMetric(figure)) return { table: 'market_metrics', column: METRIC_COLUMNS[figure] };
  const indicator = INDICATORS[figure];
  const { column } = indicator;
  return 'universe' in indicator
    ? { table: 'advanced_indicators', column, universe: indicator.universe }
    : { table: 'advanced_indicators', column };
}

export const historyFigures = (): HistoryFigure[] => [
  ...(Object.keys(INDICATORS) as IndicatorKey[]),
  ...(Object.keys(METRIC_COLUMNS) as MetricKey[]),
  ...GICS_SECTORS.map((sector) => ({ sector })),
];
