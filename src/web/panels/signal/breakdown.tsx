import type { BreakdownView } from '#views/signal-view.ts';
import { About } from '../../ui/about.tsx';

/** Points that the half of a bar stands for at least, so that small effects look small. */
const LEAST_REACH = 5;
/** Number of decimals of the points that matter only for their sum. */
const FINE_DECIMALS = 2;

/** A row per input: score times weight gives points. The bar is as long as they are from those of a score of 50. */
export function Breakdown({ view }: { view: BreakdownView }) {
  const reach = Math.max(LEAST_REACH, ...view.rows.map(({ effect }) => Math.abs(effect.value ?? 0)));
  return (
    <table className="breakdown">
      <thead className="quiet small">
        <tr>
          <th scope="col">Input</th>
          <th scope="col">Score</th>
          <th scope="col">Weight</th>
          <th scope="col">holds back ◂ 50 ▸ lifts</th>
          <th scope="col">vs 50</th>
          <th scope="col">Points</th>
        </tr>
      </thead>
      <tbody>
        {view.rows.map((row) => (
          <tr key={row.input}>
            {/* Screen readers read this short form with each cell of the row, instead of all the text here. */}
            <th scope="row" abbr={row.name}>
              {row.name}
              <About of={row.input} name={row.name} />
              {row.note !== null && <span className="quiet small breakdown-note">{row.note}</span>}
            </th>
            <td className="quiet">{row.score.text}</td>
            <td className="quiet">{row.weightText}</td>
            <td>{row.effect.value !== null && <Pull value={row.effect.value} reach={reach} />}</td>
            <td className="toned" data-tone={toneOf(row.effect.value)}>
              {row.effect.text}
            </td>
            <td>
              <Points text={row.points.text} />
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">Weighted score</th>
          <td />
          <td className="quiet">100%</td>
          <td />
          <td>{view.effectText}</td>
          <td>{view.totalText}</td>
        </tr>
      </tfoot>
    </table>
  );
}

function toneOf(value: number | null) {
  if (!value) return;
  return value > 0 ? 'positive' : 'negative';
}

/** A bar from the middle: to the right if the input lifts the score, to the left if it holds the score back. */
function Pull({ value, reach }: { value: number; reach: number }) {
  const width = Math.round((500 * value) / reach) / 10;
  return (
    <svg className="bar pull" width="100%" height="10" aria-hidden="true" data-tone={toneOf(value)}>
      <rect
        className="bar-part"
        x={`${50 + Math.min(width, 0)}%`}
        width={`${Math.abs(width)}%`}
        height="10"
        rx="2"
      />
    </svg>
  );
}

function Points({ text }: { text: string }) {
  if (!text.includes('.')) return text;
  return (
    <>
      {text.slice(0, -FINE_DECIMALS)}
      <span className="unit">{text.slice(-FINE_DECIMALS)}</span>
    </>
  );
}
