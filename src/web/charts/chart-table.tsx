import { useState } from 'react';

interface ChartTableProps {
  /** What the scrolling part is called. */
  name: string;
  headings: readonly string[];
  rows: readonly { key: number; cells: readonly (string | null)[] }[];
}

/** A chart's values as a table behind a disclosure; its rows are made when it is first opened. */
export function ChartTable({ name, headings, rows }: ChartTableProps) {
  const [opened, setOpened] = useState(false);
  return (
    <details className="chart-table" onToggle={() => setOpened(true)}>
      <summary>Show the values as a table</summary>
      {opened && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className="chart-rows" aria-label={name} tabIndex={0}>
          <table>
            <thead>
              <tr>
                {headings.map((heading) => (
                  <th key={heading} scope="col">
                    {heading}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ key, cells: [first, ...others] }) => (
                <tr key={key}>
                  <th scope="row">{first}</th>
                  {others.map((cell, column) => (
                    <td key={headings[column + 1]}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}
