import './origins-table.css';
import { useContext, useEffect, useMemo, useRef, useState } from 'react';
import type { SourcesView } from '#views/model.ts';
import { type InputOriginRow, type OriginItem, originsView } from '#views/origins-view.ts';
import { ReadAt } from '../../ui/read-at.ts';
import type { LoadOrigins } from './origins.tsx';
import { ORIGINS_LOADING } from './origins-loading.tsx';

type Read = { rows: readonly InputOriginRow[]; universe: string } | { failure: string } | null;

interface OriginsTableProps {
  sources: SourcesView;
  load: LoadOrigins;
}

/**
 * Reads the origins of the numbers shown, and again after each refresh. The old table stays until the new table is
 * there.
 */
export function OriginsTable({ sources: { createdAt, universe }, load }: OriginsTableProps) {
  const readAt = useContext(ReadAt);
  const [read, setRead] = useState<Read>(null);
  const [attempt, setAttempt] = useState(0);
  const place = useRef<HTMLDivElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt and newer rows read again
  useEffect(() => {
    let wanted = true;
    load(createdAt).then(
      (rows) => wanted && setRead({ rows, universe }),
      (error: unknown) =>
        wanted && setRead({ failure: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      wanted = false;
    };
  }, [load, createdAt, universe, readAt, attempt]);

  function retry() {
    // The button disappears, so a keyboard user needs another place for the focus.
    place.current?.focus({ preventScroll: true });
    setRead(null);
    setAttempt(attempt + 1);
  }

  return (
    <div ref={place} className="origins-place" tabIndex={-1}>
      {read === null && ORIGINS_LOADING}
      {read !== null && 'failure' in read && (
        <div className="origins-words" role="alert">
          <p className="quiet">Where the numbers come from could not be read: {read.failure}</p>
          <button type="button" className="button" onClick={retry}>
            Retry
          </button>
        </div>
      )}
      {read !== null && 'rows' in read && <Table {...read} />}
    </div>
  );
}

function Table({ rows, universe }: { rows: readonly InputOriginRow[]; universe: string }) {
  const view = useMemo(() => originsView(rows, universe), [rows, universe]);
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
              <Row key={`${item.name} ${item.parts}`} item={item} />
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

function Row({ item }: { item: OriginItem }) {
  return (
    <tr data-given={item.given}>
      <th scope="row">
        {item.name}
        {item.parts !== null && <span className="quiet small origins-parts"> {item.parts}</span>}
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
