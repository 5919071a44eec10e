import type { PanelAsOf } from '#views/model.ts';

/** Says of a panel that its rows are older than the newest on the page; nothing where they are not. */
export function Older({ asOf }: { asOf: PanelAsOf }) {
  return asOf.older === null ? null : <p className="quiet small">{asOf.older}</p>;
}
