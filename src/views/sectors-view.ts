import { sectorBand } from '#domain/bands/score-bands.ts';
import { absentSectors, GICS_SECTORS } from '#domain/sectors/absent-sectors.ts';
import type { SectorStrengthRow } from '#schema/sector-strength.ts';
import { panelAsOf } from './day.ts';
import type { AdvancedView, SectorItem } from './model.ts';
import { figureOf } from './number.ts';

function sectorItem(row: SectorStrengthRow): SectorItem {
  const figure = { name: row.sector, ...figureOf('score', row.strength) };
  if (figure.value === null) return { ...figure, label: null, tone: null };
  const { label, tone } = sectorBand(figure.value);
  return { ...figure, label, tone };
}

/** The sectors, strongest first, unknown ones last. */
export function sectorItems(rows: readonly SectorStrengthRow[]): SectorItem[] {
  return rows.map(sectorItem).sort((a, b) => (b.value ?? -1) - (a.value ?? -1) || (a.name < b.name ? -1 : 1));
}

/** The expected sectors without a row, by name if known; null if there are all eleven. */
function absentText(rows: readonly SectorStrengthRow[]): string | null {
  const absent = absentSectors(rows.map(({ sector }) => sector));
  if (absent.length === 0) return null;
  const present = `${rows.length} of ${GICS_SECTORS.length} sectors`;
  return absent.includes(null) ? `${present}.` : `${present}. No data for ${absent.join(', ')}.`;
}

/** The panel of sectors; null without a row. */
export function sectorsView(
  rows: readonly SectorStrengthRow[],
  newest: string | null,
): AdvancedView['sectors'] {
  const [first] = rows;
  if (first === undefined) return null;
  return {
    asOf: panelAsOf(first.created_at, newest),
    items: sectorItems(rows),
    absentText: absentText(rows),
  };
}
