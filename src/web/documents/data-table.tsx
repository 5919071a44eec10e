import type { ReactNode } from 'react';
import { type Column, headingOf } from '../ui/table-column.ts';

/** The cells of a row. The first one is its head. */
type Row = readonly ReactNode[];

interface DataTableProps {
  readonly id?: string;
  readonly caption?: ReactNode;
  readonly className?: string;
  /** The first heading is that of the heads of the rows; '' for none. */
  readonly columns: readonly [first: string, ...others: Column[]];
  readonly rows?: readonly Row[];
  readonly groups?: readonly { readonly head: string; readonly rows: readonly Row[] }[];
}

/** A table of a document, with or without groups of rows. Numbers are aligned to the right. */
export function DataTable({ id, caption, className, columns, rows = [], groups = [] }: DataTableProps) {
  const [first, ...others] = columns;
  const lineOf = ([head, ...cells]: Row, place: number) => (
    <tr key={place}>
      <th scope="row">{head}</th>
      {cells.map((cell, at) => {
        const { name, className } = headingOf(others[at] ?? '');
        return (
          <td key={name} className={className}>
            {cell}
          </td>
        );
      })}
    </tr>
  );
  return (
    <table id={id} className={className === undefined ? 'data' : `data ${className}`}>
      {caption !== undefined && <caption>{caption}</caption>}
      <thead>
        <tr>
          {first === '' ? <td /> : <th scope="col">{first}</th>}
          {others.map((column) => {
            const { name, className } = headingOf(column);
            return (
              <th key={name} scope="col" className={className}>
                {name}
              </th>
            );
          })}
        </tr>
      </thead>
      {rows.length > 0 && <tbody>{rows.map(lineOf)}</tbody>}
      {groups.map((group) => (
        <tbody key={group.head}>
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
