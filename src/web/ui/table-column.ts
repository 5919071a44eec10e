/** The heading of a column of numbers, or of a column of text. */
export type Column = string | { readonly text: string };

/** The words of a heading, and the class of the column's cells, by which style sheets align numbers to the right. */
export function headingOf(column: Column) {
  return typeof column === 'string'
    ? { name: column, className: 'number' }
    : { name: column.text, className: undefined };
}
