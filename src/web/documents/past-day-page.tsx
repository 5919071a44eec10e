import type { ComparedRow, CompareView } from '#views/compare-view.ts';
import { writeDayWithoutYear } from '#views/day.ts';
import type { PastChange, PastDayView, SessionLink } from '#views/past-day-view.ts';
import type { SignalView } from '#views/signal-view.ts';
import { DataTable } from './data-table.tsx';
import { documentHtml, missingHtml, type ShareImage } from './document-page.tsx';
import pastDayCss from './past-day.css?inline';
import { PastScreen } from './past-screen.tsx';

interface Place {
  readonly productName: string;
  /** Absolute address of the page's folder for the share image. */
  readonly folder: string;
  readonly first: string;
  readonly last: string;
}

/** The styles of the dashboard, as a browser without scripts applies them, and the styles of the page around it. */
export const PAST_DAY_STYLE = pastDayCss.replace(/\(scripting: ?none\)/g, 'all');

const scoreOf = ({ verdict, score }: SignalView) =>
  score.value === null ? verdict : `${verdict} ${score.text}`;

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
    title: compared === null ? title : compared.days.map(({ link }) => link.text).join(' and '),
    noindex: true,
    current: 'on',
    style: PAST_DAY_STYLE,
    image,
    children: (
      <>
        {(compared === null || notes.length > 0) && (
          <div className="note">
            {compared === null && (
              <p>
                <strong>{banner}</strong>
              </p>
            )}
            {notes.map((note) => (
              <p key={note}>{note}</p>
            ))}
          </div>
        )}
        <Ways view={view} place={place} />
        {compared === null ? (
          <>
            {changes.length > 0 && <Changes changes={changes} />}
            <PastScreen dashboard={dashboard} closes={view.closes} />
          </>
        ) : (
          <>
            <h2>
              {compared.days.at(-1)?.link.text}: {compared.view.headline}
            </h2>
            <div className="two-up">
              {compared.days.map((day) => (
                <Verdict key={day.link.session} {...day} />
              ))}
            </div>
            <Compared
              view={compared.view}
              days={compared.days.map(({ link }, at) => dayHeading(link.text, at))}
            />
          </>
        )}
      </>
    ),
  });
}

/** The HTML of a page with one sentence and a date field, for an address below `/on/` that names no day. */
export function noDayHtml(sentence: string, productName: string, home: string): string {
  const form = (
    <form action={`${home}on`} method="get">
      <label>
        Date <input type="date" name="date" required />
      </label>{' '}
      <button type="submit">Show</button>
    </form>
  );
  return missingHtml({ productName, home }, { title: 'Nothing to show', sentence, form });
}

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

function Session({ link: { session }, word }: { link: SessionLink; word: 'Previous' | 'Next' }) {
  return (
    <a href={session}>
      {word === 'Previous' && <span aria-hidden="true">←&nbsp;</span>}
      <span className="visually-hidden">{word}: </span>
      {writeDayWithoutYear(session)}
      <span className="year">{`\u00a0${session.slice(0, 4)}`}</span>
      {word === 'Next' && <span aria-hidden="true">&nbsp;→</span>}
    </a>
  );
}

type ComparedDay = NonNullable<PastDayView['compared']>['days'][number];

function Verdict({ link: { session, text }, signal, banner, notes }: ComparedDay) {
  const { verdict, score } = signal;
  return (
    <section className="card past-verdict">
      <h2>
        <a href={session}>{text}</a>
      </h2>
      <p className="row verdict-line">
        <strong className="verdict toned" data-tone={score.value === null ? undefined : verdict}>
          {verdict}
        </strong>
        {score.value !== null && (
          <span className="verdict-score">
            {score.text} <span className="quiet">of 100</span>
          </span>
        )}
      </p>
      {[banner, ...notes].map((note) => (
        <p key={note} className="quiet small">
          {note}
        </p>
      ))}
    </section>
  );
}

function Compared({ view, days }: { view: CompareView; days: readonly string[] }) {
  const { inputs, isByEffect, notes, sections } = view;
  const { length } = sections;
  return (
    <>
      {inputs.length > 0 && (
        <section className="card">
          <h2>Inputs of the score{isByEffect && ', by effect'}</h2>
          <DataTable
            className="past-changes compared stacked"
            columns={['Input', { text: 'Scale 0 to 100' }, ...days, 'Points of the score']}
            rows={inputs.map(comparedCells)}
          />
          {notes.map((note) => (
            <p key={note} className="quiet small">
              {note}
            </p>
          ))}
        </section>
      )}
      <section className="card">
        <h2>{length === 0 ? 'No other number differs' : 'Numbers that differ'}</h2>
        {length > 0 && (
          <DataTable
            className="past-changes compared stacked"
            columns={['Figure', { text: 'Its own scale' }, ...days, 'Difference']}
            groups={sections.map(({ title, rows }) => ({
              head: title,
              rows: rows.map(comparedCells),
            }))}
          />
        )}
      </section>
    </>
  );
}

/** The heading of a day, '○ Wed 2 Sep 2026'. A line can break only before the year. */
const dayHeading = (text: string, at: number) =>
  `${at === 0 ? '○' : '●'} ${text}`.replaceAll(/ (?!\d{4})/g, '\u00a0');

function comparedCells({ name, texts, differenceText, tone, places, wordText }: ComparedRow) {
  const [earlier, later] = places ?? [];
  return [
    <>
      {name} {wordText !== null && <span className="quiet small">{wordText}</span>}
    </>,
    earlier !== undefined && (
      <svg key="scale" className="dots" data-tone={tone ?? undefined} aria-hidden="true">
        <line x2="100%" y1="50%" y2="50%" />
        <line className="toned" x1={`${earlier}%`} x2={`${later}%`} y1="50%" y2="50%" />
        <circle className="hollow" cx={`${earlier}%`} cy="50%" r="4.5" />
        <circle cx={`${later}%`} cy="50%" r="5.5" />
      </svg>
    ),
    ...texts,
    <strong key="difference" className="toned" data-tone={tone ?? undefined}>
      {differenceText}
    </strong>,
  ];
}

function Changes({ changes }: { changes: readonly PastChange[] }) {
  const sections = [...new Set(changes.map(({ section }) => section))];
  return (
    <section className="card">
      <h2>Corrected since</h2>
      <DataTable
        className="past-changes stacked"
        columns={['Figure', 'Published', 'Now']}
        groups={sections.map((section) => ({
          head: section,
          rows: changes
            .filter((change) => change.section === section)
            .map(({ name, before, after }) => [name, before, after]),
        }))}
      />
    </section>
  );
}
