import { memo, useDeferredValue, useEffect, useState } from 'react';
import { StillWhileHidden } from '../ui/still-while-hidden.tsx';

/** So many rows are made in one go; what scrolling does not show of them is not laid out. */
const BLOCK = 100;

interface ChartTableProps {
  /** What the scrolling part is called. */
  name: string;
  headings: readonly string[];
  /** Has to stay the same object while its rows do. */
  rows: TableRows;
}

export interface TableRows {
  /** One at least. */
  count: number;
  /** The cells of a row. */
  cells: (index: number) => readonly (string | null)[];
}

/**
 * A chart's values as a table behind a disclosure. Its rows are made once it is opened, a hundred at a time, each in
 * a task of its own: those of a year of hours together would hold the page up for seconds.
 */
export function ChartTable({ name, headings, rows }: ChartTableProps) {
  const [open, setOpen] = useState(false);
  const [blocks, setBlocks] = useState(0);
  const wanted = Math.ceil(rows.count / BLOCK);

  useEffect(() => {
    if (!open || blocks >= wanted) return;
    const timer = setTimeout(() => setBlocks(blocks + 1));
    return () => clearTimeout(timer);
  }, [open, blocks, wanted]);

  return (
    <details className="chart-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Show the values as a table</summary>
      {blocks > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className="chart-rows" aria-label={name} tabIndex={0}>
          <StillWhileHidden hidden={!open}>
            <Blocks headings={headings} rows={rows} count={blocks} />
          </StillWhileHidden>
        </section>
      )}
    </details>
  );
}

type BlocksProps = Pick<ChartTableProps, 'headings' | 'rows'>;

/** The first so many blocks; rows that a refresh brought take their place without holding anything up. */
function Blocks({ headings, rows, count }: BlocksProps & { count: number }) {
  const shown = useDeferredValue(rows);
  const length = Math.min(count, Math.ceil(shown.count / BLOCK));
  const firsts = Array.from({ length }, (_, block) => block * BLOCK);
  return firsts.map((first) => <Block key={first} headings={headings} rows={shown} first={first} />);
}

/** A table of its own, since a browser lays a table out as a whole; all but the first show their headings to no eye. */
const Block = memo(function Block({ headings, rows, first }: BlocksProps & { first: number }) {
  const length = Math.min(BLOCK, rows.count - first);
  return (
    <div className="chart-block">
      <table>
        <thead>
          <tr>
            {headings.map((heading) => (
              <th key={heading} scope="col">
                {first === 0 ? heading : <span className="visually-hidden">{heading}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length }, (_, place) => {
            const index = first + place;
            const [name, ...values] = rows.cells(index);
            return (
              <tr key={index}>
                <th scope="row">{name}</th>
                {values.map((value, column) => (
                  <td key={headings[column + 1]}>{value}</td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
});
