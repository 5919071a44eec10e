import type { PastChange, PastDayView, PastSection, SessionLink } from '#views/past-day-view.ts';
import { documentHtml } from './document-page.tsx';

interface Place {
  readonly productName: string;
  /** Absolute address of the page's folder for the share image; null if it is not known. */
  readonly folder: string | null;
  /** The first and the newest session, for the date field. */
  readonly first: string;
  readonly last: string;
}

/** The HTML of `/on/DATE`. */
export function pastDayHtml(view: PastDayView, { productName, folder, first, last }: Place): string {
  const { session, title, banner, changes, notes, compared } = view;
  const heading = compared === null ? title : `${title} and ${compared.other.text}`;
  return documentHtml({
    productName,
    home: '../',
    title: heading,
    noindex: true,
    head: folder !== null && (
      <>
        <meta property="og:title" content={`${productName} on ${title}: ${view.verdict} ${view.score}`} />
        <meta property="og:description" content={`${banner}. ${view.headline}`} />
        <meta property="og:image" content={`${folder}${session}.png`} />
      </>
    ),
    children: (
      <>
        <p className="lead">
          <strong>{banner}</strong>
        </p>
        {notes.map((note) => (
          <p key={note}>{note}</p>
        ))}
        <nav aria-label="Sessions">
          {view.previous !== null && <Session link={view.previous} word="Previous" />}
          {view.next !== null && <Session link={view.next} word="Next" />}
          <a href="../">Today</a>
        </nav>
        <form action="../on" method="get">
          <label>
            Another date{' '}
            <input type="date" name="date" defaultValue={session} min={first} max={last} required />
          </label>{' '}
          <button type="submit">Show</button>
        </form>
        {changes.length > 0 && (
          <Changes title="Corrected since" columns={['Published', 'Now']} changes={changes} />
        )}
        {compared === null ? (
          <Figures view={view} />
        ) : (
          <Changes
            title={compared.differences.length === 0 ? 'No figure differs' : 'Figures that differ'}
            columns={[title, compared.other.text]}
            changes={compared.differences}
          />
        )}
        {compared === null && (
          <form action={session} method="get">
            <label>
              Compare with <input type="date" name="with" min={first} max={last} required />
            </label>{' '}
            <button type="submit">Compare</button>
          </form>
        )}
      </>
    ),
  });
}

/** The HTML of a page of one sentence, for an address under `/on/` without a day. */
export function noDayHtml(sentence: string, productName: string, home: string): string {
  return documentHtml({
    productName,
    home,
    title: 'No such day',
    noindex: true,
    children: <p>{sentence}</p>,
  });
}

function Session({ link: { session, text }, word }: { link: SessionLink; word: string }) {
  return (
    <a href={session}>
      {word}: {text}
    </a>
  );
}

function Figures({ view }: { view: PastDayView }) {
  return (
    <>
      <section className="card">
        <h2>
          {view.verdict} {view.score}
        </h2>
        <p>{view.headline}</p>
      </section>
      <div className="columns">
        {view.sections.map((section) => (
          <Section key={section.title} section={section} />
        ))}
      </div>
    </>
  );
}

function Section({ section: { title, figures } }: { section: PastSection }) {
  return (
    <section className="card">
      <h2>{title}</h2>
      <table>
        <tbody>
          {figures.map(({ name, text }) => (
            <tr key={name + text}>
              <th scope="row">{name}</th>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface ChangesProps {
  title: string;
  columns: readonly [before: string, after: string];
  changes: readonly PastChange[];
}

function Changes({ title, columns, changes }: ChangesProps) {
  return (
    <section className="card">
      <h2>{title}</h2>
      {changes.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">Figure</th>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {changes.map(({ name, before, after }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{before}</td>
                <td>{after}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
