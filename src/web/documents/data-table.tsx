import type { ReactNode } from 'react';

/** The heading of a column of numbers, or of a column of text. */
type Column = string | { readonly text: string };

interface TableRow {
  readonly key: string | number;
  /** The first cell is the head of the row. */
  readonly cells: readonly ReactNode[];
}

interface RowGroup {
  readonly key: string;
  /** The row above the group, over all columns. */
  readonly head: ReactNode;
  readonly rows: readonly TableRow[];
}

interface DataTableProps {
  /** The address of the table within the page. */
  readonly id?: string;
  readonly caption?: ReactNode;
  readonly className?: string;
  /** The first heading is that of the heads of the rows; '' for none. */
  readonly columns: readonly [first: string, ...others: Column[]];
  readonly rows?: readonly TableRow[];
  readonly groups?: readonly RowGroup[];
}

/** A table of a document, with or without groups of rows. Numbers are aligned to the right. */
export function DataTable({ id, caption, className, columns, rows = [], groups = [] }: DataTableProps) {
  const [first, ...others] = columns;
  const lineOf = ({ key, cells: [head, ...cells] }: TableRow) => (
    <tr key={key}>
      <th scope="row">{head}</th>
      {cells.map((cell, at) => {
        const column = others[at] ?? '';
        const isNumber = typeof column === 'string';
        return (
          <td key={isNumber ? column : column.text} className={isNumber ? 'number' : undefined}>
            {cell}
          </td>
        );
      })}
    </tr>
  );
  return (
    <table id={id} className={className}>
      {caption !== undefined && <caption>{caption}</caption>}
      <thead>
        <tr>
          {first === '' ? <td /> : <th scope="col">{first}</th>}
          {others.map((column) => {
            const isNumber = typeof column === 'string';
            const name = isNumber ? column : column.text;
            return (
              <th key={name} scope="col" className={isNumber ? 'number' : undefined}>
                {name}
              </th>
            );
          })}
        </tr>
      </thead>
      {rows.length > 0 && <tbody>{rows.map(lineOf)}</tbody>}
      {groups.map((group) => (
        <tbody key={group.key}>
          <tr>
            <th scope="rowgroup" colSpan={columns.length}>
              {group.head}
            </th>
          </tr>
          {group.rows.map(lineOf)}
        </tbody>
      ))}
    </table>
  );
}
