import type { BaseRateRow } from '#views/base-rates-view.ts';
import type { FlipRow } from '#views/flip-view.ts';
import type { MethodFigures, MethodView } from '#views/method-view.ts';
import { TOO_FEW } from '#views/record-view.ts';
import { documentHtml } from './document-page.tsx';

const SECTIONS = [
  ['flip', 'What would flip the verdict'],
  ['stability', 'How stable the verdict is'],
  ['overlap', 'How the inputs overlap'],
  ['base-rates', 'Base rates of Fear & Greed'],
  ['definitions', 'What every number means'],
] as const;
type SectionId = (typeof SECTIONS)[number][0];
const TITLES = Object.fromEntries(SECTIONS) as Readonly<Record<SectionId, string>>;

/** The head of a table: the name of its first column, then those of its columns of numbers. */
function HeadRow({ first, numbers }: { first: string; numbers: readonly string[] }) {
  return (
    <tr>
      <th scope="col">{first}</th>
      {numbers.map((name) => (
        <th key={name} scope="col" className="number">
          {name}
        </th>
      ))}
    </tr>
  );
}

/** The HTML of `/method`. */
export function methodHtml(
  { notices, asOfText, figures, formula, definitions }: MethodView,
  productName: string,
): string {
  const sections = SECTIONS.filter(([id]) => figures !== null || id === 'definitions');
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
        {notices.map((notice) => (
          <p key={notice} className="note">
            {notice}
          </p>
        ))}
        {asOfText !== null && <p className="quiet">{asOfText}</p>}
        <nav aria-label="Sections">
          {sections.map(([id, title]) => (
            <a key={id} href={`#${id}`}>
              {title}
            </a>
          ))}
        </nav>
        {figures !== null && <Figures figures={figures} formula={formula} />}
        <section className="card" id="definitions">
          <h2>{TITLES.definitions}</h2>
          <p>
            Every number is computed from closing data by a fixed definition. These are the definitions of
            formula {formula}, whose number is stored with every weekly signal.
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

function Figures({ figures, formula }: { figures: MethodFigures; formula: string }) {
  return (
    <>
      <Flip flip={figures.flip} />
      <Stability figures={figures} formula={formula} />
      <Overlap figures={figures} />
      <BaseRates figures={figures} />
    </>
  );
}

function Flip({ flip }: { flip: MethodFigures['flip'] }) {
  return (
    <section className="card split" id="flip">
      <div className="text">
        <h2>{TITLES.flip}</h2>
        <p>{flip.lead}</p>
        {flip.verdicts.length > 0 && (
          <p className="quiet">
            In fact the numbers move together. The VIX and put/call options also change Fear &amp; Greed; this
            table keeps Fear &amp; Greed constant.
          </p>
        )}
      </div>
      {flip.verdicts.length > 0 && (
        <div className="figures">
          <table>
            <caption>
              For each number: the nearest value that flips the verdict while all other numbers stay the same,
              and the weeks of the stored history in which the number moved at least as far
            </caption>
            <thead>
              <tr>
                <th scope="col">Number</th>
                {flip.verdicts.map((verdict) => (
                  <th key={verdict} scope="col" className="number">
                    To {verdict}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {flip.rows.map((row) => (
                <FlipLine key={row.name} row={row} columns={flip.verdicts.length} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function FlipLine({ row, columns }: { row: FlipRow; columns: number }) {
  return (
    <tr>
      <th scope="row">
        {row.nameText}
        {row.nowText !== null && <small> now {row.nowText}</small>}
      </th>
      {row.nowText === null && (
        <td colSpan={columns} className="number">
          not measured today
        </td>
      )}
      {row.cells.map(({ verdict, moveText, oftenText }) => (
        <td key={verdict} className="number wraps">
          {moveText === null ? <span className="quiet">cannot alone</span> : <strong>{moveText}</strong>}
          {oftenText !== null && (
            <>
              <br />
              <small>{oftenText}</small>
            </>
          )}
        </td>
      ))}
    </tr>
  );
}

function Stability({ figures, formula }: { figures: MethodFigures; formula: string }) {
  const { lead, rows } = figures.stability;
  return (
    <section className="card split" id="stability">
      <div className="text">
        <h2>{TITLES.stability}</h2>
        <p>{lead}</p>
        <p className="quiet">
          These numbers are computed by formula {formula} from {figures.historyText}. The signals as they were
          published are on <a href="record">the record</a>.
        </p>
      </div>
      <table>
        <caption>
          Number of weeks by the distance of the score from the nearest other verdict, and number of those
          weeks after which the next week had another verdict
        </caption>
        <thead>
          <HeadRow first="Distance" numbers={['Weeks', 'Verdict changed']} />
        </thead>
        <tbody>
          {rows.map(({ distanceText, weeksText, changedText, isCurrent }) => (
            <tr key={distanceText}>
              <th scope="row">
                {distanceText}
                {isCurrent && <small> today</small>}
              </th>
              <td className="number">{weeksText}</td>
              <td className="number">{changedText}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Overlap({ figures }: { figures: MethodFigures }) {
  return (
    <section className="card split" id="overlap">
      <div className="text">
        <h2>{TITLES.overlap}</h2>
        <p>{figures.overlap.lead}</p>
      </div>
      <div className="figures">
        <table>
          <caption>
            Share of the score that each kind of raw data decides, by the formula. The unrounded shares sum to
            100%
          </caption>
          <thead>
            <HeadRow first="Raw data" numbers={['Weight']} />
          </thead>
          <tbody>
            {figures.overlap.rows.map(({ name, shareText }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td className="number">{shareText}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <table>
          <caption>
            Weight of each input, and the share of the ups and downs of the score (its variance) that comes
            from this input over the stored history
          </caption>
          <thead>
            <HeadRow first="Input" numbers={['Weight', 'Variance']} />
          </thead>
          <tbody>
            {figures.inputs.map(({ name, weightText, varianceText }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td className="number">{weightText}</td>
                <td className="number">{varianceText}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function BaseRates({ figures }: { figures: MethodFigures }) {
  const { lead, horizons } = figures.baseRates;
  return (
    <section className="card split" id="base-rates">
      <div className="text">
        <h2>{TITLES['base-rates']}</h2>
        <p>{lead}</p>
        <p className="quiet">
          Each week is one sample, with the window of <a href="record">the record</a>. The median is below
          each mean. The 90% interval is below each difference from all weeks; one interval in ten misses the
          true difference, so a single interval without zero shows nothing. “Higher” is the share of weeks
          after which the S&amp;P 500 was higher; the share of all weeks is below it. Windows overlap and are
          not independent: “apart” counts those that do not overlap, and a band needs 8 of them. A spell is a
          series of consecutive weeks in one band.
        </p>
      </div>
      <div className="figures">
        {horizons.map(({ title, rows }) => (
          <table key={title} className="rates stacked">
            <caption>
              {title}: change of the S&amp;P 500, percent, by the band at the end of the week before
            </caption>
            <thead>
              <HeadRow first="Band" numbers={['Mean', 'Minus all', 'Higher', 'Worst']} />
            </thead>
            <tbody>
              {rows.map((row) => (
                <BaseRateLine key={row.label} row={row} all={rows.at(-1)} />
              ))}
            </tbody>
          </table>
        ))}
      </div>
    </section>
  );
}

function BaseRateLine({ row, all }: { row: BaseRateRow; all: BaseRateRow | undefined }) {
  const { label, weeksText, apartText, spellsText, figures, difference, worst } = row;
  const isBand = row !== all;
  return (
    <tr>
      <th scope="row">
        {label} <small>{weeksText},</small> <small>{apartText},</small> <small>{spellsText}</small>
      </th>
      {figures === null ? (
        <>
          <td className="number wraps quiet">{TOO_FEW}</td>
          <td className="number">—</td>
          <td className="number">—</td>
        </>
      ) : (
        <>
          <Pair value={figures.meanText} beside={figures.medianText} />
          <Pair value={difference?.text ?? '—'} beside={difference?.intervalText ?? null} />
          <Pair
            value={figures.higherText}
            beside={isBand && all?.figures ? `all ${all.figures.higherText}` : null}
          />
        </>
      )}
      <Pair value={worst?.text ?? '—'} beside={worst?.dateText ?? null} />
    </tr>
  );
}

function Pair({ value, beside }: { value: string; beside: string | null }) {
  return (
    <td className="number">
      {value}
      {beside !== null && (
        <>
          <br />
          <small>{beside}</small>
        </>
      )}
    </td>
  );
}
