import { type JudgedView, RISK_CAVEATS, type RiskView } from '#views/risk-view.ts';
import { acrossPlot, downPlot, Plot } from '../charts/plot.tsx';
import { DataTable } from './data-table.tsx';
import { documentHtml, Notices } from './document-page.tsx';

const WEEKS = { from: 0, to: 4 };
const SHARES = { from: 0, to: 1 };
const SHARE_SCALE = { low: 0, high: 1 };

export function riskHtml(view: RiskView, productName: string): string {
  const [first, ...others] = view.lead;
  return documentHtml({
    productName,
    home: './',
    current: 'risk',
    title: 'How rough the next four weeks may be',
    children: (
      <>
        {view.demoText !== null && <p className="note">{view.demoText}</p>}
        <p className="lead">
          <strong>{first}</strong> {others.join(' ')}
        </p>
        <Notices notices={view.notices} />
        <ul>
          {RISK_CAVEATS.map((caveat) => (
            <li key={caveat}>{caveat}</li>
          ))}
        </ul>
        {view.stressText !== null && <p className="quiet">{view.stressText}</p>}
        {view.current !== null && <Current current={view.current} />}
        {view.bands !== null && (
          <section className="card">
            <h2>Weeks like this one, and others</h2>
            <DataTable
              caption={view.bands.caption}
              className="summary bands stacked"
              columns={['State', 'Median', 'One in ten', 'Lowest', 'Fall of 5%']}
              rows={view.bands.rows.map((row) => [
                <>
                  {row.name}
                  {row.isCurrent && ' (now)'} <small>{row.weeksText}</small>
                </>,
                ...[row.medianText, row.tenthText, row.worstText, row.fallText],
              ])}
            />
          </section>
        )}
        {view.judged.map((judged) => (
          <Judged key={judged.title} judged={judged} />
        ))}
        {view.weeks.length > 0 && (
          <section className="card">
            <h2>The newest weeks</h2>
            <DataTable
              className="summary"
              caption="The stated 80% range of the volatility a week and what came of it; the line that one in ten crosses and the lowest close. “Above” and “below” mark misses. A week with * was computed later, for the demonstration."
              columns={['Week ended', 'Stated range', 'Volatility', 'Stated line', 'Lowest close']}
              rows={view.weeks.map((week) => [
                week.session,
                week.statedText,
                week.outcomeText,
                week.lineText,
                week.worstText,
              ])}
            />
          </section>
        )}
        <section className="card">
          <h2>How it is made and graded</h2>
          <ul className="rules">
            <li>
              Rule r1: the logarithm of the volatility of the next 20 sessions, by linear regression on the
              VIX and on the volatility of the last day, week and month. Each outlook uses the weeks before it
              only.
            </li>
            <li>
              The range and the line are quantiles of past weeks. Past misses move them, so that they hold as
              often as they say.
            </li>
            <li>
              Each outlook enters the <a href="ledger/checkpoint">ledger</a> before its first session opens,
              and its outcome after 20 sessions. A corrected close adds an outcome that replaces the earlier
              one.
            </li>
            <li>
              The outlook of the volatility is useless if it does no better than the mean of the past, or if
              its 80% range holds far more or far fewer than 80% of the weeks.
            </li>
          </ul>
        </section>
      </>
    ),
  });
}

function Current({ current }: { current: NonNullable<RiskView['current']> }) {
  const { half, most, dates, fanText, volatilityText, asOfText, facts } = current;
  const edge = 1.15 * Math.max(...most, 1);
  const step = [1, 2, 5].find((size) => edge < 3 * size) ?? 10;
  const scale = { low: -edge, high: edge };
  const steps = Math.floor(edge / step);
  const levels = Array.from({ length: 2 * steps + 1 }, (_, at) => {
    const value = step * (at - steps);
    return { value, text: `${value < 0 ? '−' : value > 0 ? '+' : ''}${Math.abs(value)}%` };
  });
  const fan = (sizes: readonly number[]) => {
    const y = (size: number) => Number(((edge - size) / (2 * edge)).toFixed(4));
    const up = [0, ...sizes].map((size, week) => `${week},${y(size)}`);
    const down = [0, ...sizes].map((size, week) => `${week},${y(-size)}`).reverse();
    return [...up, ...down].join(' ');
  };
  return (
    <section className="card split">
      <div className="text">
        <h2>The next four weeks</h2>
        <p className="quiet">{asOfText}</p>
        <dl className="tiles">
          {facts.map(([name, text]) => (
            <div key={name} className="tile">
              <dt className="quiet small">{name}</dt>
              <dd className="primary">{text}</dd>
            </div>
          ))}
        </dl>
      </div>
      <div className="figures">
        <p>
          {volatilityText} {fanText} The fan shows sizes, not a direction.
        </p>
        <Plot
          className="fan"
          summary={fanText}
          span={WEEKS}
          scale={scale}
          levels={levels}
          ticks={dates}
          box={{ width: 4, height: 1 }}
          shapes={
            <>
              <polygon points={fan(most)} />
              <polygon points={fan(half)} />
            </>
          }
        >
          {[
            { sizes: half, text: 'half' },
            { sizes: most, text: '80%' },
          ].map(({ sizes, text }) => (
            <text
              key={text}
              x="100%"
              y={downPlot(sizes.at(-1) ?? 0, scale)}
              dx="-6"
              dy="1.3em"
              textAnchor="end"
            >
              {text}
            </text>
          ))}
        </Plot>
      </div>
    </section>
  );
}

function Judged({ judged }: { judged: JudgedView }) {
  const { title, lead, skills, rows, technicalRows, reliability, reliabilityText } = judged;
  const columns = ['', 'This outlook', 'Mean of the past', 'VIX alone'] as const;
  return (
    <section className="card split">
      <div className="text">
        <h2>{title}</h2>
        <p>{lead}</p>
        {skills.map((text) => (
          <p key={text}>
            <strong>{text}</strong>
          </p>
        ))}
        <p className="quiet small">{reliabilityText}</p>
      </div>
      <div className="figures">
        <DataTable
          caption="The share of weeks inside the 80% range, which should be 80%, and errors, of which lower is better"
          columns={columns}
          rows={rows}
        />
        <h3>What was stated, and what happened</h3>
        <p className="quiet small">
          Dots: the volatility stays below the low end, the middle or the high end of the range. Rings: the
          S&amp;P 500 falls by 5%, for weeks with about the same stated chance. On the line, it came true as
          often as stated.
        </p>
        <Plot
          summary={`Stated and observed shares: ${reliability.map(({ stated, happened, weeks, isFall }) => `${isFall ? 'fall of 5%' : 'volatility below a bound'} ${Math.round(100 * stated)}% stated, ${Math.round(100 * happened)}% of ${weeks} weeks`).join('; ')}.`}
          span={SHARES}
          scale={SHARE_SCALE}
          levels={[0, 0.5, 1].map((value) => ({ value, text: `${100 * value}%` }))}
          ticks={[0, 0.5, 1].map((at) => ({ at, text: `${100 * at}%` }))}
          box={{ width: 100, height: 100 }}
          shapes={<path className="even" d="M0 100L100 0" />}
        >
          {reliability.map(({ stated, happened, isFall }) => (
            <circle
              key={`${stated} ${isFall}`}
              className={isFall ? 'ring' : undefined}
              r="5"
              cx={acrossPlot(stated, SHARES)}
              cy={downPlot(happened, SHARE_SCALE)}
            />
          ))}
          <text x="8" dy="1.2em">
            how often it happened
          </text>
          <text x="100%" y="100%" dx="-8" dy="-.6em" textAnchor="end">
            stated chance
          </text>
        </Plot>
        <details>
          <summary className="quiet small">Technical scores</summary>
          <DataTable
            caption="The errors above are the squared error of log volatility and the Brier score. QLIKE grades the variance, a pinball loss one quantile of the volatility. Lower is better."
            columns={columns}
            rows={technicalRows}
          />
        </details>
      </div>
    </section>
  );
}
