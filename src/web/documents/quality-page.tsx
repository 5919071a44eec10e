import { type QualityView, SESSION_SIGNS, type SessionState } from '#views/quality-view.ts';
import { DataTable } from './data-table.tsx';
import { documentHtml } from './document-page.tsx';

const MEANINGS: Readonly<Record<SessionState, string>> = {
  Complete: 'every input had its value by the evening',
  'Not checked': 'its numbers come from files, were computed later or are not final yet',
  Late: 'an input was late, and has its value now',
  Gap: 'an input has no value yet',
  Fixed: 'a value was corrected',
  Edited: 'its stored copy was changed after it was published',
  Event: 'see the list below',
};

const TONES: Readonly<Partial<Record<SessionState, string>>> = {
  Late: 'color-yellow',
  Gap: 'negative',
  Edited: 'negative',
};

/** True for a state without an event, which the calendar shows by its sign only. */
const isQuiet = (state: SessionState) => state === 'Complete' || state === 'Not checked';

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'];

export function qualityHtml(view: QualityView, productName: string): string {
  const states = Object.keys(MEANINGS) as SessionState[];
  return documentHtml({
    productName,
    home: './',
    current: 'quality',
    title: 'Data quality',
    children: (
      <>
        {view.demoText !== null && <p className="note">{view.demoText}</p>}
        <p className="lead">
          <strong>{view.summary}</strong>
        </p>
        {view.uncheckedText !== null && <p className="quiet">{view.uncheckedText}</p>}
        {view.damagedText !== null && <p className="note">{view.damagedText}</p>}
        <section className="card">
          <h2>Sessions</h2>
          <ul className="key">
            {states.map((state) => (
              <li key={state}>
                <span aria-hidden="true" className="toned" data-tone={TONES[state]}>
                  {SESSION_SIGNS[state]}
                </span>
                <p>
                  <strong>{state}:</strong> <span className="quiet">{MEANINGS[state]}</span>
                </p>
              </li>
            ))}
          </ul>
          <div className="months">
            {view.months.map(({ name, sessions }) => (
              <div key={name}>
                <h3>{name}</h3>
                <ol className="calendar">
                  {WEEKDAYS.map((weekday) => (
                    <li key={weekday} className="quiet" aria-hidden="true">
                      {weekday}
                    </li>
                  ))}
                  {sessions.map(({ session, date, weekday, state }) => (
                    <li key={session} className={`d${weekday}`}>
                      <a
                        href={`on/${session}`}
                        className={isQuiet(state) ? 'quiet' : 'event toned'}
                        data-tone={TONES[state]}
                      >
                        <span>
                          <span className="visually-hidden">{WEEKDAYS[weekday - 1]} </span>
                          {date}
                          <span className="visually-hidden"> {name}:</span>
                          {isQuiet(state) ? '' : ` ${SESSION_SIGNS[state]}`}
                        </span>{' '}
                        {isQuiet(state) ? (
                          <small>
                            {SESSION_SIGNS[state]} <span className="visually-hidden">{state}</span>
                          </small>
                        ) : (
                          <small>{state}</small>
                        )}
                      </a>
                    </li>
                  ))}
                </ol>
              </div>
            ))}
          </div>
        </section>
        <section className="card">
          <h2>Events</h2>
          {view.restText !== null && <p>{view.restText}</p>}
          {view.events.length === 0 ? (
            <p>{view.noneText}</p>
          ) : (
            <DataTable
              className="events stacked"
              columns={['New York time', { text: 'Session' }, { text: 'Event' }]}
              rows={view.events.map(({ atText, session, sessionText, text }) => [
                atText,
                session === null ? (
                  sessionText
                ) : (
                  <a key="session" href={`on/${session}`}>
                    {sessionText}
                  </a>
                ),
                text,
              ])}
            />
          )}
        </section>
      </>
    ),
  });
}
