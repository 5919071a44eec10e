import { Fragment, type ReactNode } from 'react';
import type { BaseRateRow } from '#views/base-rates-view.ts';
import type { FlipRow } from '#views/flip-view.ts';
import type { MethodFigures, MethodView } from '#views/method-view.ts';
import { TOO_FEW } from '#views/record-view.ts';
import type { RightsView } from '#views/rights-view.ts';
import { DataTable } from './data-table.tsx';
import { documentHtml, Notices } from './document-page.tsx';

const SECTIONS = [
  ['flip', 'What would flip the verdict'],
  ['stability', 'How stable the verdict is'],
  ['overlap', 'How the inputs overlap'],
  ['revisions', 'How values were revised'],
  ['base-rates', 'Base rates of Fear & Greed'],
  ['rights', 'What may be shown'],
  ['definitions', 'What every number means'],
] as const;
type SectionId = (typeof SECTIONS)[number][0];
/** Width of a verdict below a scale on a narrow page, percent. */
const VERDICT_WIDTH = 24;
/** The least width of a verdict on a scale, so that it is visible, percent. */
const LEAST_PART = 1.5;
const TITLES = Object.fromEntries(SECTIONS) as Readonly<Record<SectionId, string>>;

export function methodHtml(
  { notices, asOfText, figures, formula, definitions, rights }: MethodView,
  productName: string,
): string {
  const sections = SECTIONS.filter(([id]) => {
    if (id === 'rights') return rights !== null;
    return figures !== null || id === 'definitions';
  });
  return documentHtml({
    productName,
    home: './',
    current: 'method',
    title: 'How the score works',
    children: (
      <>
        <p className="lead">
          The score describes the market of today by stored numbers. Nothing here is a forecast or advice.
        </p>
        <Notices notices={notices} />
        {asOfText !== null && <p className="quiet">{asOfText}</p>}
        <nav aria-label="Sections">
          {sections.map(([id, title]) => (
            <a key={id} href={`#${id}`}>
              {title}
            </a>
          ))}
        </nav>
        {figures !== null && (
          <>
            <Flip flip={figures.flip} />
            <VerdictChangeRates figures={figures} formula={formula} />
            <Overlap figures={figures} />
            <Revisions revisions={figures.revisions} />
            <BaseRates rates={figures.baseRates} />
          </>
        )}
        {rights !== null && <Rights rights={rights} />}
        <section className="card" id="definitions">
          <h2>{TITLES.definitions}</h2>
          <p>
            Every number is computed from closing data by a fixed definition. These are the definitions of
            formula {formula}, whose number is stored with every weekly signal. “This page” and “the page” in
            them mean the dashboard.
          </p>
          <div className="columns">
            {definitions.map(({ name, text, bands }) => (
              <div key={name} className="definition">
                <h3>{name}</h3>
                <p className="small">
                  {text} {bands}
                </p>
              </div>
            ))}
          </div>
        </section>
      </>
    ),
  });
}

interface PartProps {
  id: SectionId;
  texts: readonly string[];
  notes?: readonly ReactNode[];
  children: ReactNode;
}

/** A section of the page. The notes are in a quiet colour below the texts. */
function Part({ id, texts, notes = [], children }: PartProps) {
  return (
    <section className="card split" id={id}>
      <div className="text">
        <h2>{TITLES[id]}</h2>
        {texts.map((text) => (
          <p key={text}>{text}</p>
        ))}
        {notes.map((note) => (
          <p key={typeof note === 'string' ? note : id} className="quiet">
            {note}
          </p>
        ))}
      </div>
      {children}
    </section>
  );
}

function Rights({ rights: { notices, rows } }: { rights: RightsView }) {
  const note =
    'The terms of the data providers decide what a public page may show. This table is a reading of these terms, and not legal advice.';
  return (
    <Part id="rights" texts={notices} notes={rows.length > 0 ? [note] : []}>
      {rows.length > 0 && (
        <DataTable
          caption="What this page shows of the data of each provider, and the reason"
          columns={['Data', { text: 'Provider' }, { text: 'On this page' }]}
          rows={rows.map(({ name, supplier, rightText, reason }) => [
            <>
              {name} <small>{reason}</small>
            </>,
            supplier,
            rightText,
          ])}
        />
      )}
    </Part>
  );
}

function Flip({ flip: { lead, verdicts, rows } }: { flip: MethodFigures['flip'] }) {
  const note =
    'In fact the numbers move together. The VIX and put/call options also change Fear & Greed; this table keeps Fear & Greed constant.';
  return (
    <Part id="flip" texts={[lead]} notes={verdicts.length > 0 ? [note] : []}>
      {verdicts.length > 0 && (
        <div className="figures">
          <DataTable
            caption="Each number over its range, with the verdict at each value while all other numbers stay the same. The line is today. Beside it: the nearest value that flips the verdict, and the weeks of the stored history in which the number moved at least as far."
            className="levers stacked"
            columns={['Number', { text: 'Verdict over its range' }, 'Flips the verdict']}
            rows={rows.map(flipCells)}
          />
        </div>
      )}
    </Part>
  );
}

function flipCells({ nameText, nowText, lever, cells }: FlipRow) {
  return [
    <>
      {nameText} <small>{nowText === null ? 'not measured today' : `now ${nowText}`}</small>
    </>,
    lever && <SensitivityBar key="lever" lever={lever} />,
    cells.map(({ verdict, moveText, oftenText }) => (
      <p key={verdict}>
        to {verdict}: <strong>{moveText}</strong> <small>{oftenText}</small>
      </p>
    )),
  ];
}

function SensitivityBar({
  lever: { lowText, highText, now, parts },
}: {
  lever: NonNullable<FlipRow['lever']>;
}) {
  const [first] = parts;
  const words = parts.map(({ verdict }) => verdict).join(', then ');
  const isConstant = parts.length === 1;
  // The first and the last verdict stand at the ends of the scale, and one between them where it has room.
  function placeOf(at: number, middle: number) {
    if (at === 0) return { x: '0%', textAnchor: 'start' } as const;
    if (at === parts.length - 1) return { x: '100%', textAnchor: 'end' } as const;
    const hasRoom = Math.abs(middle - 50) <= 50 - 1.5 * VERDICT_WIDTH;
    return hasRoom ? ({ x: `${middle}%`, textAnchor: 'middle' } as const) : null;
  }
  const starts = parts.map(({ from }, at) =>
    Math.max(at * LEAST_PART, Math.min(from, 100 - (parts.length - at) * LEAST_PART)),
  );
  return (
    <svg className="scale" role="img" aria-label={`${words}, from ${lowText} to ${highText}`}>
      {parts.map(({ verdict, from, to }, at) => {
        const place = placeOf(at, (from + to) / 2);
        const { [at]: start = 0, [at + 1]: end = 100 } = starts;
        return (
          <g key={verdict} data-tone={verdict}>
            <rect x={`${start}%`} width={`${(end - start).toFixed(1)}%`} height="10" />
            {place !== null && !isConstant && (
              <text {...place} y="24">
                {verdict}
              </text>
            )}
          </g>
        );
      })}
      {isConstant && <text y="24">{first?.verdict} at every value</text>}
      <rect className="today" x={`${now}%`} y="-3" width="3" height="16" transform="translate(-1.5 0)" />
    </svg>
  );
}

function VerdictChangeRates({ figures, formula }: { figures: MethodFigures; formula: string }) {
  const { lead, rows } = figures.stability;
  const notes = [
    <>
      These numbers are computed by formula {formula} from {figures.historyText}. Each table counts the weeks
      that have all it compares. The decided weekly signals are on <a href="record">the record</a>.
    </>,
    'With another list of stocks, the verdict can differ. By real prices of 2014 to 2018, 50 random companies of the 500 gave another verdict than all 500 on 6% of days, and on 8% if the counts of the NYSE were missing.',
  ];
  return (
    <Part id="stability" texts={[lead]} notes={notes}>
      <DataTable
        caption="Number of weeks by the distance of the score from the nearest other verdict, and number of those weeks after which the next week had another verdict"
        columns={['Distance', 'Weeks', 'Verdict changed']}
        rows={rows.map(({ distanceText, weeksText, changedText, isCurrent }) => [
          <>
            {distanceText}
            {isCurrent && <small> today</small>}
          </>,
          weeksText,
          changedText,
        ])}
      />
    </Part>
  );
}

function Overlap({ figures: { overlap, inputs } }: { figures: MethodFigures }) {
  return (
    <Part id="overlap" texts={[overlap.lead]}>
      <div className="figures">
        <DataTable
          caption="Share of the score that each kind of raw data decides, by the formula. The unrounded shares sum to 100%."
          columns={['Raw data', 'Weight']}
          className="shares"
          rows={overlap.rows.map(({ name, share, shareText }) => [
            name,
            <Fragment key="share">
              <svg className="share" aria-hidden="true">
                <rect width={`${share}%`} height="100%" />
              </svg>
              <span>{shareText}</span>
            </Fragment>,
          ])}
        />
        <DataTable
          caption="Weight of each input, the share of the ups and downs of the score (its variance) that comes from this input over the stored history, and the weeks that would have had another verdict without it"
          className="summary"
          columns={['Input', 'Weight', 'Variance', 'Left out']}
          rows={inputs}
        />
      </div>
    </Part>
  );
}

function Revisions({ revisions: { lead, rows } }: { revisions: MethodFigures['revisions'] }) {
  return (
    <Part id="revisions" texts={[lead]}>
      {rows.length > 0 && (
        <DataTable
          caption="Final minus first published value of each number: sessions with a difference, median size over all sessions, and the largest difference"
          columns={['Number', 'Revised', 'Median', 'Largest']}
          rows={rows}
        />
      )}
    </Part>
  );
}

function BaseRates({ rates: { lead, horizons } }: { rates: MethodFigures['baseRates'] }) {
  const note = (
    <>
      Each week is one sample, with the window of <a href="record">the record</a>. A cell has two lines: the
      mean and the median of the changes; the difference of the mean from all weeks and its 90% interval; the
      share of weeks after which the S&amp;P 500 was higher and that share of all weeks; the lowest change and
      the last session before its window. One interval in ten misses the true difference, so a single interval
      without zero shows nothing. Windows overlap and are not independent: “apart” counts those that do not
      overlap, and a band needs 8 of them. A spell is a series of consecutive weeks in one band.
    </>
  );
  return (
    <Part id="base-rates" texts={[lead]} notes={[note]}>
      <div className="figures">
        {horizons.map(({ title, scaleText, rows }) => (
          <DataTable
            key={title}
            className="rates stacked"
            caption={`${title}: change of the S&P 500, percent, by the band at the end of the week before. The drawn scale is ${scaleText} from all weeks.`}
            columns={['Band', 'Mean', 'Minus all', 'Higher', 'Lowest']}
            rows={rows.map((row) => baseRateCells(row, rows.at(-1)))}
          />
        ))}
      </div>
    </Part>
  );
}

function baseRateCells(row: BaseRateRow, all: BaseRateRow | undefined) {
  const { label, weeksText, apartText, spellsText, figures, difference, worst } = row;
  const share = row !== all && all?.figures ? `all ${all.figures.higherText}` : null;
  return [
    <>
      {label} <small>{weeksText},</small> <small>{apartText},</small> <small>{spellsText}</small>
    </>,
    ...(figures === null
      ? [
          <span key="mean" className="quiet">
            {TOO_FEW}
          </span>,
          '—',
          '—',
        ]
      : [
          <Pair key="mean" value={figures.meanText} beside={figures.medianText} />,
          <Fragment key="difference">
            <Pair value={difference?.text ?? '—'} beside={difference?.intervalText ?? null} />
            {difference !== null && <Interval difference={difference} />}
          </Fragment>,
          <Pair key="higher" value={figures.higherText} beside={share} />,
        ]),
    <Pair key="worst" value={worst?.text ?? '—'} beside={worst?.dateText ?? null} />,
  ];
}

function Pair({ value, beside }: { value: string; beside: string | null }) {
  return (
    <>
      {value}
      {beside !== null && (
        <>
          <br />
          <small>{beside}</small>
        </>
      )}
    </>
  );
}

/** The difference as a dot on its interval; the line in the middle is the mean of all weeks. */
function Interval({ difference: { at, from, to } }: { difference: NonNullable<BaseRateRow['difference']> }) {
  return (
    <svg className="interval" aria-hidden="true">
      <line x1={`${from}%`} x2={`${to}%`} y1="50%" y2="50%" />
      <circle cx={`${at}%`} cy="50%" r="4" />
    </svg>
  );
}
