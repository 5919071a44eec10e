import type { PanelAsOf } from '#views/day.ts';

/** Shows that the rows of a panel are older than the newest on the page; otherwise nothing. */
export function Older({ asOf }: { asOf: PanelAsOf }) {
  return asOf.older === null ? null : <p className="quiet small">{asOf.older}</p>;
}
