import { useState } from 'react';
import type { TimelineView } from '#views/model.ts';

/** The chart's values as a table behind a disclosure; its rows are made when it is first opened. */
export function TimelineTable({ points }: Pick<TimelineView, 'points'>) {
  const [opened, setOpened] = useState(false);
  return (
    <details className="timeline-table" onToggle={() => setOpened(true)}>
      <summary>Show the values as a table</summary>
      {opened && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className="timeline-rows" aria-label="Values of the timeline" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Date (New York)</th>
                <th scope="col">Index</th>
                <th scope="col">Label</th>
              </tr>
            </thead>
            <tbody>
              {points.map((point) => (
                <tr key={point.at}>
                  <th scope="row">{point.dateText}</th>
                  <td>{point.text}</td>
                  <td>{point.label}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}
