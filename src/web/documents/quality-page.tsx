import { type QualityView, SESSION_SIGNS, type SessionState } from '#views/quality-view.ts';
import { documentHtml } from './document-page.tsx';

const MEANINGS: Readonly<Record<SessionState, string>> = {
  Complete: 'every input had its value by the evening',
  Completed: 'an input was late, and has its value now',
  'Open gap': 'an input has no value yet',
  Corrected: 'a value was replaced by another',
  'Other event': 'see the list below',
};

/** The HTML of `/quality`. */
export function qualityHtml(view: QualityView, productName: string): string {
  const states = Object.keys(MEANINGS) as SessionState[];
  return documentHtml({
    productName,
    home: './',
    title: 'Data quality',
    children: (
      <>
        <p className="lead">
          <strong>{view.summary}</strong>
        </p>
        {view.damagedText !== null && <p>{view.damagedText}</p>}
        <section className="card">
          <h2>Sessions</h2>
          <ul className="key">
            {states.map((state) => (
              <li key={state}>
                {SESSION_SIGNS[state]} {state}: {MEANINGS[state]}
              </li>
            ))}
          </ul>
          <ol className="grid">
            {view.sessions.map(({ session, text, state }) => (
              <li key={session}>
                <a href={`on/${session}`}>
                  {SESSION_SIGNS[state]} {text}
                  {state !== 'Complete' && <small>{state}</small>}
                </a>
              </li>
            ))}
          </ol>
        </section>
        <section className="card">
          <h2>Events</h2>
          {view.events.length === 0 ? (
            <p>No fault was recorded.</p>
          ) : (
            <table>
              <thead>
                <tr>
                  <th scope="col">New York time</th>
                  <th scope="col">Session</th>
                  <th scope="col">Event</th>
                </tr>
              </thead>
              <tbody>
                {view.events.map(({ atText, session, sessionText, text }) => (
                  <tr key={atText + sessionText + text}>
                    <td>{atText}</td>
                    <td>{session === null ? sessionText : <a href={`on/${session}`}>{sessionText}</a>}</td>
                    <td>{text}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </section>
      </>
    ),
  });
}
