import { memo } from 'react';
import type { SentimentCard, SentimentView } from '#views/sentiment-view.ts';
import { About } from '../../ui/about.tsx';
import { Rail } from '../../ui/bar.tsx';
import { sameProps } from '../../ui/page-context.tsx';
import { Older, Status } from '../../ui/status.tsx';

export const SentimentPanel = memo(function SentimentPanel({ view }: { view: SentimentView }) {
  return (
    <section className="sentiment" aria-labelledby="sentiment-title">
      <h2 id="sentiment-title">{view.title}</h2>
      <Older asOf={view.asOf} />
      <div className="three-up">
        {view.cards.map((card) => (
          <Timeframe key={card.timeframe} card={card} />
        ))}
      </div>
    </section>
  );
}, sameProps);

function Timeframe({ card }: { card: SentimentCard }) {
  const tone = `step-${card.step}`;
  return (
    <article className="card timeframe">
      <div className="timeframe-head">
        <h3>{card.title}</h3>
        <About of={card.timeframe} name={card.title} />
        <span className="quiet">{card.span}</span>
      </div>
      <p className="timeframe-level">
        <span className="toned" data-tone={tone}>
          {card.level}
        </span>
        <span className="timeframe-score">{card.score.text}</span>
      </p>
      <Rail value={card.score.value} tone={tone} />
      <p className="quiet timeframe-words">{card.description}</p>
      {card.indicators.length > 0 && (
        <dl className="timeframe-indicators">
          {card.indicators.map(({ key, name, value, status }) => (
            <div key={key}>
              <dt className="quiet small">
                {name}
                <About of={key} name={name} />
              </dt>
              <dd>
                <Status status={status}>{value}</Status>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </article>
  );
}
