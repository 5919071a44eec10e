import type { SignalView } from '#views/model.ts';
import type { PastChange, PastDayView, SessionLink } from '#views/past-day-view.ts';
import pageCss from '../styles/page.css?inline';
import { documentHtml, FRAME_STYLE, type ShareImage } from './document-page.tsx';
import pastDayCss from './past-day.css?inline';
import { PastScreen } from './past-screen.tsx';

interface Place {
  readonly productName: string;
  /** Absolute address of the page's folder for the share image. */
  readonly folder: string;
  /** The first and the newest session, for the date field. */
  readonly first: string;
  readonly last: string;
}

/** The styles of the dashboard, as a browser without scripts applies them, and the styles of the page around it. */
export const PAST_DAY_STYLE = pageCss.replace(/\(scripting: ?none\)/g, 'all') + FRAME_STYLE + pastDayCss;

const scoreOf = ({ verdict, score }: SignalView) =>
  score.value === null ? verdict : `${verdict} ${score.text}`;

/** The HTML of `/on/DATE`. */
export function pastDayHtml(view: PastDayView, place: Place): string {
  const { session, title, banner, changes, notes, compared, dashboard } = view;
  const { productName, folder } = place;
  const image: ShareImage = {
    title: `${dashboard.demo === null ? '' : 'Demo: '}${productName} on ${title}: ${scoreOf(dashboard.signal)}`,
    description: `${banner}. ${dashboard.signal.headline}`,
    address: `${folder}${session}.png`,
  };
  return documentHtml({
    productName,
    home: '../',
    title: compared === null ? title : `${title} and ${compared.other.text}`,
    noindex: true,
    current: 'on',
    style: PAST_DAY_STYLE,
    image,
    children: (
      <>
        <div className="note">
          <p>
            <strong>{banner}</strong>
          </p>
          {notes.map((note) => (
            <p key={note}>{note}</p>
          ))}
        </div>
        <Ways view={view} place={place} />
        {changes.length > 0 && (
          <Changes title="Corrected since" columns={['Published', 'Now']} changes={changes} />
        )}
        {compared === null ? (
          <PastScreen dashboard={dashboard} closes={view.closes} />
        ) : (
          <>
            <div className="two-up">
              <Verdict link={{ session, text: title }} signal={dashboard.signal} />
              <Verdict link={compared.other} signal={compared.signal} />
            </div>
            <Changes
              title={compared.differences.length === 0 ? 'No number differs' : 'Numbers that differ'}
              columns={[title, compared.other.text]}
              changes={compared.differences}
            />
          </>
        )}
      </>
    ),
  });
}

/** The text, without a line break inside a date. */
const withWholeDates = (text: string) =>
  text.split(/(\d{4}-\d\d-\d\d)/).map((part, at) =>
    at % 2 === 1 ? (
      <span key={part} className="whole-date">
        {part}
      </span>
    ) : (
      part
    ),
  );

/** The HTML of a page with one sentence and a date field, for an address below `/on/` that names no day. */
export function noDayHtml(sentence: string, productName: string, home: string): string {
  return documentHtml({
    productName,
    home,
    title: 'No such day',
    noindex: true,
    children: (
      <section className="card">
        <p>{withWholeDates(sentence)}</p>
        <form action={`${home}on`} method="get">
          <label>
            Date <input type="date" name="date" required />
          </label>{' '}
          <button type="submit">Show</button>
        </form>
        <p>
          <a href={home}>Open the dashboard</a>
        </p>
      </section>
    ),
  });
}

/** The links to neighbouring sessions, and the fields in which a visitor enters another date. */
function Ways({ view: { session, previous, next, compared }, place }: { view: PastDayView; place: Place }) {
  const { first, last } = place;
  return (
    <div className="past-ways">
      <nav aria-label="Sessions">
        {previous !== null && <Session link={previous} word="Previous" />}
        {next !== null && <Session link={next} word="Next" />}
        <a href="../">Today</a>
      </nav>
      <form action="../on" method="get">
        <label>
          Another date{' '}
          <input type="date" name="date" defaultValue={session} min={first} max={last} required />
        </label>{' '}
        <button type="submit">Show</button>
      </form>
      <form action={session} method="get">
        <label>
          Compare with{' '}
          <input
            type="date"
            name="with"
            defaultValue={compared?.other.session}
            min={first}
            max={last}
            required
          />
        </label>{' '}
        <button type="submit">Compare</button>
      </form>
    </div>
  );
}

function Session({ link: { session, text }, word }: { link: SessionLink; word: string }) {
  return (
    <a href={session}>
      {word}: {text}
    </a>
  );
}

function Verdict({ link: { session, text }, signal }: { link: SessionLink; signal: SignalView }) {
  const { verdict, score } = signal;
  return (
    <section className="card past-verdict">
      <h2>
        <a href={session}>{text}</a>
      </h2>
      <p className="verdict-line">
        <strong
          className="verdict toned"
          data-tone={score.value === null ? undefined : `verdict-${verdict.toLowerCase()}`}
        >
          {verdict}
        </strong>
        {score.value !== null && (
          <span className="verdict-score">
            {score.text} <span className="quiet">of 100</span>
          </span>
        )}
      </p>
    </section>
  );
}

interface ChangesProps {
  title: string;
  columns: readonly [before: string, after: string];
  changes: readonly PastChange[];
}

function Changes({ title, columns, changes }: ChangesProps) {
  const sections = [...new Set(changes.map(({ section }) => section))];
  return (
    <section className="card">
      <h2>{title}</h2>
      {changes.length > 0 && (
        <table className="past-changes stacked">
          <thead className="quiet small">
            <tr>
              <th scope="col">Figure</th>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          {sections.map((section) => (
            <tbody key={section}>
              <tr>
                <th scope="rowgroup" colSpan={3}>
                  {section}
                </th>
              </tr>
              {changes
                .filter((change) => change.section === section)
                .map(({ name, before, after }) => (
                  <tr key={name}>
                    <th scope="row">{name}</th>
                    <td>{before}</td>
                    <td>{after}</td>
                  </tr>
                ))}
            </tbody>
          ))}
        </table>
      )}
    </section>
  );
}
