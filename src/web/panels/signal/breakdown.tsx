import type { SignalView } from '#views/model.ts';
import { About } from '../../ui/about.tsx';
import { Bar } from '../../ui/bar.tsx';

/**
 * The seven inputs, one per row: the input's score times its weight gives its points. The last row is the sum of the
 * points.
 */
export function Breakdown({ view }: { view: SignalView }) {
  return (
    <table className="breakdown">
      <thead className="quiet small">
        <tr>
          <th scope="col">Input</th>
          <th scope="col">Score</th>
          <th scope="col">Weight</th>
          <th scope="col">Points</th>
        </tr>
      </thead>
      <tbody>
        {view.rows.map((row) => (
          <tr key={row.input}>
            {/* Screen readers read this short form with each cell of the row, instead of all the text here. */}
            <th scope="row" abbr={row.name}>
              <span className="breakdown-input">
                <span>
                  {row.name}
                  <About of={row.input} name={row.name} />
                  {row.note !== null && <span className="quiet small breakdown-note">{row.note}</span>}
                </span>
                <Bar share={row.score.value} />
              </span>
            </th>
            <td>{row.score.text}</td>
            <td className="quiet">{row.weightText}</td>
            <td className="breakdown-points">{row.points.text}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">Weighted score</th>
          <td />
          <td className="quiet">100%</td>
          <td className="breakdown-points">{view.totalText}</td>
        </tr>
      </tfoot>
    </table>
  );
}
