import { Fragment } from 'react';
import type { AnchorsView } from '#views/anchors-view.ts';
import { writeDay } from '#views/day.ts';
import { type RecordSegment, type RecordView, TOO_FEW } from '#views/record-view.ts';
import type { RecordWeekView } from '#views/record-week-view.ts';
import type { BreakdownView } from '#views/signal-view.ts';
import { acrossPlot, downPlot, Plot, plotPath } from '../charts/plot.tsx';
import { Breakdown } from '../panels/signal/breakdown.tsx';
import { DataTable } from './data-table.tsx';
import { type DocumentPlace, documentHtml, missingHtml } from './document-page.tsx';
import { RecordChart } from './record-chart.tsx';
import RECORD_WEEK_STYLE from './record-week.css?inline';
import { VerdictScale } from './verdict-scale.tsx';

interface SharedPlace extends DocumentPlace {
  imageAddress: string;
}

const DESCRIPTION = 'Every weekly signal, withheld weeks included, and the change of the S&P 500 after it.';
/** The file of `record-walk.ts`, by path from the dashboard. */
const RECORD_SCRIPT = 'record-walk.js';
const HORIZON_NAMES = ['1 week', '4 weeks', '13 weeks'];

export function recordHtml(view: RecordView, place: SharedPlace): string {
  const title = 'The record of the weekly signal';
  return documentHtml({
    ...place,
    title,
    current: 'record',
    script: RECORD_SCRIPT,
    image: {
      title: `${title} – ${place.productName}`,
      description: DESCRIPTION,
      address: place.imageAddress,
    },
    children: (
      <>
        <p className="lead">
          {DESCRIPTION} The signal describes the condition of the market. It does not forecast, and this
          record claims no skill.
        </p>
        {view.segments.length === 0 && <p>No weekly signal has been decided yet.</p>}
        {view.segments.map((segment, at) => (
          <Segment key={segment.title} segment={segment} place={at} home={place.home} />
        ))}
        <Rule missingText={view.missingText} />
        <Anchors {...view.anchors} home={place.home} />
      </>
    ),
  });
}

/** Number of years at the top, so that the first screen says how often each verdict was given. */
const FIRST_YEARS = 2;

function Segment({ segment, place, home }: YearsProps & { home: string }) {
  const { title, demoNote, spanText, primary, chart, years } = segment;
  return (
    <section className="card">
      <div>
        <h2>{title}</h2>
        <p className="quiet">{spanText}</p>
        {years.slice(0, FIRST_YEARS).map(({ year, weeksText }) => (
          <p key={year}>
            <strong>{year}</strong> {weeksText}
          </p>
        ))}
      </div>
      {demoNote !== null && <DemoNote text={demoNote} />}
      {chart !== null && <RecordChart view={chart} />}
      <Years {...{ segment, place }} />
      <div className="tile">
        <h3>S&amp;P 500 change in 4 weeks: after BUY minus after SELL</h3>
        <p className="primary">{primary.text}</p>
        {primary.basisText !== null && <p>{primary.basisText}</p>}
        <p className="quiet small">{primary.note}</p>
      </div>
      {segment.summary.length > 0 && <Summary segment={segment} />}
      <Weeks {...{ segment, place, home }} />
    </section>
  );
}

function DemoNote({ text }: { text: string }) {
  return (
    <p className="note">
      <strong>Demonstration.</strong> {text}
    </p>
  );
}

function Summary({ segment }: { segment: RecordSegment }) {
  return (
    <DataTable
      caption="Mean change of the S&P 500 in percent. “Lowest” and “highest” are the lowest and the highest single change. “Apart” counts the windows that do not overlap. A spell is a series of consecutive weeks."
      className="summary means stacked"
      columns={['', ...HORIZON_NAMES]}
      rows={segment.summary.map(({ name, cells }) => [
        name,
        ...cells.map(({ horizon, meanText, edgeName, edgeText, countText, apartText, spellsText }) => (
          <Fragment key={horizon}>
            {meanText === null ? <span className="quiet">{TOO_FEW}</span> : <strong>{meanText}</strong>}
            <br />
            <span className="quiet">{edgeName}</span> {edgeText}
            <br />
            <small>
              <span>{countText},</span> <span>{apartText},</span> <span>{spellsText}</span>
            </small>
          </Fragment>
        )),
      ])}
    />
  );
}

interface YearsProps {
  segment: RecordSegment;
  /** Makes the addresses of the segment's years unique in the page. */
  place: number;
}

function Years({ segment: { years }, place }: YearsProps) {
  const verdicts = years[0]?.counts.map(({ verdict }) => verdict) ?? [];
  return (
    <DataTable
      caption="Weeks with each signal by year. “S&P 500” is its change over the weeks of the year. “Week after SELL” is the lowest and the highest of its changes in the week after a SELL. Both in percent."
      className="years"
      columns={['Year', ...verdicts, 'S&P 500', 'Week after SELL']}
      rows={years.map(({ year, counts, withheldText, changeText, datesText, afterSellText }) => [
        <>
          <a href={`#y${place}-${year}`}>{year}</a> <small>{withheldText}</small>
        </>,
        ...counts.map(({ count }) => count),
        <Fragment key="change">
          <strong>{changeText}</strong>
          <br />
          <small>{datesText}</small>
        </Fragment>,
        afterSellText ?? '—',
      ])}
    />
  );
}

function Weeks({ segment: { years, demoText, barsText }, place, home }: YearsProps & { home: string }) {
  return (
    <div>
      <h3>Change of the S&amp;P 500 after each week, percent</h3>
      {barsText !== null && <p className="quiet small">{barsText}</p>}
      {years.map(({ year, weeksText, weeks }, at) => (
        <details key={year} open={at === 0}>
          <summary>
            <strong>{year}</strong> <span className="quiet small">{weeksText}</span>
          </summary>
          <DataTable
            className="weeks stacked"
            columns={['Week', { text: 'Signal' }, ...HORIZON_NAMES]}
            // A link to an element inside the part opens it.
            id={`y${place}-${year}`}
            rows={weeks.map(({ name, dateText, signalText, verdict, cells }) => [
              <>
                <a href={`${home}record/${name}`}>{name}</a> <small>{dateText}</small>
                {demoText !== null && <small> {demoText}</small>}
              </>,
              <span key="signal" className="toned signal" data-tone={verdict}>
                {signalText}
              </span>,
              ...cells.map(({ horizon, changeText, stateText, isReplaced, bar }) => (
                <Fragment key={horizon}>
                  {changeText ?? <small>{stateText}</small>}
                  {bar !== null && <Bar length={bar} />}
                  {isReplaced && <small className="corrected"> corrected</small>}
                </Fragment>
              )),
            ])}
          />
        </details>
      ))}
    </div>
  );
}

function Bar({ length }: { length: number }) {
  return (
    <svg className={length < 0 ? 'bar fall' : 'bar'} aria-hidden="true">
      <path d={`M0 0h${length}`} />
    </svg>
  );
}

const rulesOf = (missingText: string | null) => [
  'Rule g2: a window begins with the first S&P 500 close after the decision and ends with the first close after the same weekday and time 1, 4 or 13 weeks later.',
  `Every week is graded, also withheld weeks. All weeks together are the baseline. A week without a decision has no grade and does not change those of other weeks. ${missingText ?? ''}`,
  'HOLD is neither right nor wrong. The primary result is the difference between BUY and SELL over 4 weeks.',
  'Windows of 4 and 13 weeks overlap, so they are not independent. “Apart” is the largest number of windows that do not overlap. Below 8 windows apart there is no mean.',
  'A window without its two closes is void. A corrected close adds a grade beside the earlier one; the page of the week shows both.',
  'No entry of this page is changed or removed later: a corrected grade is a further entry.',
];

function Rule({ missingText }: { missingText: string | null }) {
  return (
    <section className="card">
      <h2>How a week is graded</h2>
      <ul className="rules">
        {rulesOf(missingText).map((rule) => (
          <li key={rule}>{rule}</li>
        ))}
      </ul>
    </section>
  );
}

function Anchors({ checkpoints, places, home }: AnchorsView & { home: string }) {
  return (
    checkpoints.length > 0 && (
      <section className="card">
        <h2>Proof against later changes</h2>
        <p>
          Every row of the record is an entry of <a href={`${home}ledger/checkpoint`}>the ledger</a>, a signed
          log. A checkpoint fixes all entries up to its time. Keep a copy: a record that was changed later
          does not match it. It shows that the entries existed by then, not that everybody was shown the same.
        </p>
        <ul>
          {places.map((place) => (
            <li key={place}>{place}</li>
          ))}
          <li>
            <a href={`${home}ledger/anchors.json`}>All proofs</a>
          </li>
        </ul>
        {checkpoints.map(({ title, note }) => (
          <div key={title}>
            <h3>{title}</h3>
            <pre className="small">{note}</pre>
          </div>
        ))}
      </section>
    )
  );
}

/** The HTML of `/record/2026-W47`. `reasons` is null if they are not stored. */
export function recordWeekHtml(
  view: RecordWeekView,
  place: SharedPlace,
  reasons: BreakdownView | null = null,
): string {
  const { title, demoNote, signalText, verdict, scoreText, facts, reason, grades } = view;
  const { session, previous, next } = view;
  return documentHtml({
    ...place,
    title,
    current: 'record',
    style: RECORD_WEEK_STYLE,
    noindex: true,
    image: {
      title: `${demoNote === null ? '' : 'Demo: '}${title}: ${signalText} – ${place.productName}`,
      description: facts.map(([name, text]) => `${name} ${text}`).join('. '),
      address: place.imageAddress,
    },
    children: (
      <>
        <section className={reasons === null ? 'card' : 'card halves'}>
          <div className="figures">
            <p>
              <strong className="verdict toned" data-tone={verdict}>
                {verdict ?? signalText}
              </strong>{' '}
              {scoreText !== null && (
                <span className="primary">
                  {scoreText} <small>of 100</small>
                </span>
              )}
            </p>
            {reasons !== null && <p>{reasons.headline}</p>}
            {view.scale !== null && <VerdictScale {...view.scale} />}
            {view.distanceText !== null && <p>{view.distanceText}</p>}
            {reason !== null && <p>{reason}</p>}
            <p className="quiet small">The signal describes the market and does not forecast it.</p>
            {demoNote !== null && <DemoNote text={demoNote} />}
            <dl>
              {facts.map(([name, text]) => (
                <div key={name}>
                  <dt className="quiet">{name}</dt>
                  <dd>{text}</dd>
                </div>
              ))}
            </dl>
          </div>
          {reasons !== null && (
            <div className="figures">
              <h2>Signal Breakdown</h2>
              <Breakdown view={reasons} />
            </div>
          )}
        </section>
        <section className="card">
          <h2>What followed</h2>
          <p className="quiet">
            Each window begins at the start: the first close of the S&amp;P 500 after the signal.
          </p>
          {view.around !== null && <Around view={view.around} />}
          <Grades grades={grades} pending={view.pending} />
        </section>
        <nav aria-label="Weeks">
          {previous !== null && <a href={`${place.home}record/${previous}`}>← {previous}</a>}
          <a href={`${place.home}record`}>All weeks</a>
          {next !== null && <a href={`${place.home}record/${next}`}>{next} →</a>}
          {session !== null && <a href={`${place.home}on/${session}`}>The page of {writeDay(session)}</a>}
        </nav>
      </>
    ),
  });
}

const BOX = { width: 1000, height: 1000 };

function Around({ view }: { view: NonNullable<RecordWeekView['around']> }) {
  const { summary, span, scale, levels, ticks, near, lines, ends } = view;
  const below = (at: number) => ({ x: acrossPlot(at, span), y: '100%', dy: '1.5em' });
  return (
    <Plot
      {...{ summary, span, scale, levels }}
      ticks={[...ticks, ...near.map(({ at }) => ({ at, text: '' }))]}
      box={BOX}
      shapes={<path d={lines.map((line) => plotPath(line, span, scale, BOX)).join('')} />}
    >
      {ends.map(({ at, value }) => (
        <circle key={at} cx={acrossPlot(at, span)} cy={downPlot(value, scale)} r="5" />
      ))}
      {near.map(({ at, text }) => (
        <text key={at} className={at === 0 ? 'near start' : 'near'} {...below(at)}>
          {text}
        </text>
      ))}
    </Plot>
  );
}

function Grades({ grades, pending }: Pick<RecordWeekView, 'grades' | 'pending'>) {
  const horizons = [...new Set(grades.map(({ horizonText }) => horizonText))];
  return (
    <ul className="tiles">
      {horizons.map((horizon) => (
        <li key={horizon} className="tile">
          <span className="quiet">{horizon}</span>
          {grades
            .filter(({ horizonText }) => horizonText === horizon)
            .map(({ isReplaced, ...grade }) => (
              <div key={grade.id} className={isReplaced ? 'replaced quiet' : undefined}>
                {isReplaced ? (
                  <s>{grade.changeText}</s>
                ) : (
                  <>
                    <strong className="primary">{grade.changeText}</strong>
                    <p className="small">{grade.allWeeksText}</p>
                  </>
                )}
                {grade.note !== null && <p className="small">{grade.note}</p>}
                <p className="small">
                  From the close of {grade.entryText} to the close of {grade.exitText}
                </p>
                <p className="quiet small">Graded {grade.gradedText}</p>
              </div>
            ))}
        </li>
      ))}
      {pending.map(({ horizonText, endText }) => (
        <li key={horizonText} className="tile">
          <span className="quiet">{horizonText}</span>
          <strong>pending</strong>
          <p className="small">{endText}</p>
        </li>
      ))}
    </ul>
  );
}

export const noRecordHtml = (sentence: string, place: DocumentPlace) =>
  missingHtml(place, { title: 'No such week', sentence, path: 'record', link: 'Open the record' });
