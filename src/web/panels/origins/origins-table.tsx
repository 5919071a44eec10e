import './origins-table.css';
import { useCallback, useMemo } from 'react';
import type { AdvancedView, SourcesView } from '#views/model.ts';
import { type InputOriginRow, type OriginLine, originsView } from '#views/origins-view.ts';
import { ReadPart, useRead } from '../../ui/use-read.tsx';
import type { LoadOrigins, OriginsPart } from './origins.tsx';

interface OriginsTableProps {
  sources: SourcesView;
  advanced: AdvancedView | null;
  load: LoadOrigins;
  part: OriginsPart;
}

/**
 * Reads the origins of the numbers shown, and again after each refresh. The old table stays until the new table is
 * there.
 */
export function OriginsTable({ sources, advanced, load, part }: OriginsTableProps) {
  const { createdAt, universe } = sources;
  const loadRows = useCallback(
    async () => ({ rows: await load(createdAt), page: { universe, advanced } }),
    [load, createdAt, universe, advanced],
  );
  const read = useRead(loadRows);
  return (
    <ReadPart read={read} {...part}>
      {(origins) => <Table {...origins} />}
    </ReadPart>
  );
}

interface TableProps {
  rows: readonly InputOriginRow[];
  /** The page that the rows belong to. */
  page: Parameters<typeof originsView>[1];
}

function Table({ rows, page }: TableProps) {
  const view = useMemo(() => originsView(rows, page), [rows, page]);
  return (
    <>
      <p className={view.items.length === 0 ? 'origins-words quiet' : 'quiet small'}>{view.text}</p>
      {view.items.length > 0 && (
        <table className="origins-rows">
          <thead className="quiet small">
            <tr>
              <th scope="col">Input</th>
              <th scope="col">From</th>
              <th scope="col">Observed</th>
              <th scope="col">Fetched</th>
            </tr>
          </thead>
          <tbody>
            {view.items.map((item) => (
              <Row key={item.name} item={item} />
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

function Row({ item }: { item: OriginLine }) {
  return (
    <tr data-given={item.given}>
      <th scope="row">
        {item.name}
        <span className="quiet small origins-fed"> for {item.fed}</span>
      </th>
      <td>{item.provider}</td>
      <td>
        {item.observedText} {item.earlier && <span className="chip">earlier session</span>}
      </td>
      <td>
        <span className="origins-word">fetched </span>
        {item.fetchedText}
      </td>
    </tr>
  );
}
