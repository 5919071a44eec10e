import { writeDay } from '#views/day.ts';
import { type RecordSegment, type RecordView, type RecordWeekView, TOO_FEW } from '#views/record-view.ts';
import { DESCRIBES } from '#views/signal-view.ts';
import { type DocumentProps, documentHtml } from './document-page.tsx';

type Place = Pick<DocumentProps, 'productName' | 'home'>;

interface SharedPlace extends Place {
  /** Absolute address of the page's share image. */
  imageAddress: string;
}

const DESCRIPTION = 'Every weekly signal, withheld weeks included, and the change of the S&P 500 after it.';
const HORIZON_NAMES = ['1 week', '4 weeks', '13 weeks'];

/** The HTML of `/record`. */
export function recordHtml(view: RecordView, place: SharedPlace): string {
  const title = 'The record of the weekly signal';
  return documentHtml({
    ...place,
    title,
    current: 'record',
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
        {view.segments.map((segment) => (
          <Segment key={segment.title} segment={segment} home={place.home} />
        ))}
        <Rule missingText={view.missingText} />
      </>
    ),
  });
}

function Segment({ segment, home }: { segment: RecordSegment; home: string }) {
  const { title, demoNote, spanText, primary } = segment;
  return (
    <section className="card split">
      <div className="text">
        <h2>{title}</h2>
        <p className="quiet">{spanText}</p>
        {demoNote !== null && <DemoNote text={demoNote} />}
        <div className="tile">
          <h3>S&amp;P 500 change in 4 weeks: after BUY minus after SELL</h3>
          <p className="primary">{primary.text}</p>
          {primary.intervalText !== null && <p>{primary.intervalText}</p>}
          <p className="quiet small">{primary.note}</p>
        </div>
      </div>
      <div className="figures">
        <Summary segment={segment} />
      </div>
      <div className="whole">
        <Weeks segment={segment} home={home} />
      </div>
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
    <table>
      <caption>
        Mean change of the S&amp;P 500 in percent. “Worst” is the largest fall, but the largest rise after
        SELL. “Apart” counts the windows that do not overlap, “spells” the series of consecutive weeks
      </caption>
      <thead>
        <tr>
          <td />
          {HORIZON_NAMES.map((name) => (
            <th key={name} scope="col" className="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {segment.summary.map(({ name, cells }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {cells.map(({ horizon, meanText, worstText, countText, apartText, spellsText }) => (
              <td key={horizon} className="number wraps">
                {meanText === null ? <span className="quiet">{TOO_FEW}</span> : <strong>{meanText}</strong>}
                <br />
                <span className="quiet">worst</span> {worstText}
                <br />
                <small>
                  <span>{countText},</span> <span>{apartText},</span> <span>{spellsText}</span>
                </small>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Weeks({ segment, home }: { segment: RecordSegment; home: string }) {
  return (
    <table className="weeks stacked">
      <caption>Change of the S&amp;P 500 after each week, percent</caption>
      <thead>
        <tr>
          <th scope="col">Week</th>
          <th scope="col">Signal</th>
          {HORIZON_NAMES.map((name) => (
            <th key={name} scope="col" className="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {segment.weeks.map(({ name, dateText, signalText, verdict, cells }) => (
          <tr key={name}>
            <th scope="row">
              <a href={`${home}record/${name}`}>{name}</a> <small>{dateText}</small>
              {segment.demoText !== null && <small> {segment.demoText}</small>}
            </th>
            <td
              className="toned signal"
              data-tone={verdict === null ? undefined : `verdict-${verdict.toLowerCase()}`}
            >
              {signalText}
            </td>
            {cells.map(({ horizon, changeText, stateText, isReplaced }) => (
              <td key={horizon} className="number">
                {changeText ?? <small>{stateText}</small>}
                {isReplaced && <small className="corrected"> corrected</small>}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Rule({ missingText }: { missingText: string | null }) {
  return (
    <section className="card">
      <h2>How a week is graded</h2>
      <ul className="rules">
        <li>
          Rule g2: a window begins with the first S&amp;P 500 close after the decision and ends with the first
          close after the same weekday and time 1, 4 or 13 weeks later.
        </li>
        <li>
          Every week is graded, also withheld weeks. All weeks together are the baseline. A week without a
          decision has no grade and does not change those of other weeks. {missingText}
        </li>
        <li>
          HOLD is neither right nor wrong. The primary result is the difference between BUY and SELL over 4
          weeks.
        </li>
        <li>
          Windows of 4 and 13 weeks overlap, so they are not independent. “Apart” is the largest number of
          windows that do not overlap. Below 8 windows apart there is no mean.
        </li>
        <li>
          A window without its two closes is void. A corrected close adds a grade that replaces the earlier
          one; the page of the week shows both.
        </li>
        <li>No entry of this page is changed or removed later.</li>
      </ul>
    </section>
  );
}

/** The HTML of `/record/2026-W47`. */
export function recordWeekHtml(view: RecordWeekView, place: SharedPlace): string {
  const { title, demoNote, signalText, verdict, scoreText, facts, reason, grades } = view;
  const { session, previous, next } = view;
  return documentHtml({
    ...place,
    title,
    current: 'record',
    noindex: true,
    image: {
      title: `${demoNote === null ? '' : 'Demo: '}${title}: ${signalText} – ${place.productName}`,
      description: facts.map(([name, text]) => `${name} ${text}`).join('. '),
      address: place.imageAddress,
    },
    children: (
      <>
        <section className="card">
          <p>
            <strong
              className="verdict toned"
              data-tone={verdict === null ? undefined : `verdict-${verdict.toLowerCase()}`}
            >
              {verdict ?? signalText}
            </strong>{' '}
            {scoreText !== null && (
              <span className="primary">
                {scoreText} <small>of 100</small>
              </span>
            )}
          </p>
          {reason !== null && <p>{reason}</p>}
          <p className="quiet small">{DESCRIBES}</p>
          {demoNote !== null && <DemoNote text={demoNote} />}
          <dl>
            {facts.map(([name, text]) => (
              <div key={name}>
                <dt className="quiet">{name}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section className="card">
          <h2>Grades</h2>
          {grades.length === 0 ? <p>No window of this week has ended yet.</p> : <Grades grades={grades} />}
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

function Grades({ grades }: { grades: RecordWeekView['grades'] }) {
  return (
    <ul className="tiles">
      {grades.map(({ id, horizonText, entryText, exitText, changeText, allWeeksText, note, gradedText }) => (
        <li key={id} className="tile">
          <span className="quiet">{horizonText}</span>
          <strong className="primary">{changeText}</strong>
          <p className="small">{allWeeksText}</p>
          {note !== null && <p className="small">{note}</p>}
          <p className="small">
            From the close of {entryText} to the close of {exitText}
          </p>
          <p className="quiet small">Graded {gradedText}</p>
        </li>
      ))}
    </ul>
  );
}

/** The HTML for an address below `/record/` that names no week. `text` is one sentence. */
export function noRecordHtml(text: string, place: Place): string {
  return documentHtml({
    ...place,
    title: 'No such week',
    noindex: true,
    children: (
      <section className="card">
        <p>{text}</p>
        <p>
          <a href={`${place.home}record`}>Open the record</a>
        </p>
      </section>
    ),
  });
}
