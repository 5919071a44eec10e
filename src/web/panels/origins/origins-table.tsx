import './origins-table.css';
import { useMemo } from 'react';
import { type InputOriginRow, type OriginLine, originsView } from '#views/origins-view.ts';

interface OriginsTableProps {
  rows: readonly InputOriginRow[];
  /** The page that the rows belong to. */
  page: Parameters<typeof originsView>[1];
}

export function OriginsTable({ rows, page }: OriginsTableProps) {
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
