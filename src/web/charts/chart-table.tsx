import { memo, useDeferredValue, useEffect, useState } from 'react';
import { Icon } from '../ui/icons.tsx';
import { type Column, headingOf } from '../ui/table-column.ts';

/** Number of rows in a block. The browser does not lay out blocks that are scrolled out of sight. */
const BLOCK = 50;

const ROLES = {
  table: { role: 'table' },
  group: { role: 'rowgroup' },
  row: { role: 'row' },
  columnHeader: { role: 'columnheader', scope: 'col' },
  rowHeader: { role: 'rowheader', scope: 'row' },
  cell: { role: 'cell' },
  /** The role of cells in columns without text. */
  none: { role: 'none' },
} as const;

/** The heading of the rows, then those of columns of numbers, or of text. Must be memoised. */
export type Columns = readonly [first: string, ...others: Column[]];

interface ChartTableProps {
  name: string;
  columns: Columns;
  /** Must be memoised: each new object renders all opened blocks again. */
  rows: TableRows;
}

export interface TableRows {
  count: number;
  /** The cells of a row. The table shows the last row first. */
  cells: (index: number) => readonly (string | null)[];
}

/** The values of a chart as a table in a disclosure, fifty rows per task: a year of hours in one would block the page. */
export function ChartTable({ name, columns, rows }: ChartTableProps) {
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
      <summary>
        Values as a table
        <Icon name="chevron" className="chevron" />
      </summary>
      {blocks > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        <section className="chart-rows" aria-label={name} tabIndex={0}>
          <div {...ROLES.table}>
            <Head columns={columns} />
            <Blocks columns={columns} rows={rows} count={blocks} />
          </div>
        </section>
      )}
    </details>
  );
}

type BlocksProps = Pick<ChartTableProps, 'columns' | 'rows'>;

/** The first `count` blocks. Rows of a refresh are rendered deferred, so that the page stays responsive. */
function Blocks({ columns, rows, count }: BlocksProps & { count: number }) {
  const shown = useDeferredValue(rows);
  const length = Math.min(count, Math.ceil(shown.count / BLOCK));
  const firsts = Array.from({ length }, (_, block) => block * BLOCK);
  return firsts.map((first) => <Block key={first} columns={columns} rows={shown} first={first} />);
}

/** The headings, in a table of their own that stays in view while the rows scroll. */
function Head({ columns: [first, ...others] }: Pick<ChartTableProps, 'columns'>) {
  return (
    <div className="chart-head" {...ROLES.group}>
      <table {...ROLES.none}>
        <thead {...ROLES.none}>
          <tr {...ROLES.row}>
            <th {...ROLES.columnHeader}>{first}</th>
            {others.map(headingOf).map(({ name, className }) => (
              <th key={name} className={className} {...ROLES.columnHeader}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
      </table>
    </div>
  );
}

/** A browser lays a table out as a whole, so each block is a table. Roles join them for assistive technology. */
const Block = memo(function Block({ columns, rows, first }: BlocksProps & { first: number }) {
  const length = Math.min(BLOCK, rows.count - first);
  const [, ...others] = columns;
  const headings = others.map(headingOf);
  return (
    <div className="chart-block" {...ROLES.group}>
      <table {...ROLES.none}>
        <tbody {...ROLES.none}>
          {Array.from({ length }, (_, place) => {
            const index = first + place;
            const [name, ...values] = rows.cells(rows.count - 1 - index);
            return (
              <tr key={index} {...ROLES.row}>
                <th {...ROLES.rowHeader}>{name}</th>
                {headings.map(({ name: heading, className }, at) => (
                  <td key={heading} className={className} {...ROLES.cell}>
                    {values[at]}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
});
