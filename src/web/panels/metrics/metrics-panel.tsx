import { memo } from 'react';
import type { MetricCard, MetricsView } from '#views/model.ts';
import { About } from '../../ui/about.tsx';
import { Bar } from '../../ui/bar.tsx';
import { CountedNumber } from '../../ui/counted-number.tsx';
import { useEntrance } from '../../ui/first-view.ts';
import { Older } from '../../ui/status.tsx';
import { sameProps } from '../../ui/still-while-hidden.tsx';

/** Market exposure and overall strength, a card each. */
export const MetricsPanel = memo(function MetricsPanel({ view }: { view: MetricsView }) {
  const [ref, entrance] = useEntrance<HTMLDivElement>();
  return (
    <div ref={ref} className="two-up" data-entrance={entrance}>
      {view.cards.map((card) => (
        <Metric key={card.key} card={card} asOf={view.asOf} />
      ))}
    </div>
  );
}, sameProps);

function Metric({ card, asOf }: { card: MetricCard; asOf: MetricsView['asOf'] }) {
  const { value, color } = card;
  const tone = color === null ? undefined : `color-${color}`;
  return (
    <section className="card metric" aria-labelledby={`metric-${card.key}`}>
      <div className="panel-head">
        <h2 id={`metric-${card.key}`}>{card.title}</h2>
        <About of={card.key} name={card.title} />
      </div>
      <p className="quiet">{card.description}</p>
      <p className="metric-line">
        <span className="metric-value toned" data-tone={tone}>
          {value === null ? card.text : <CountedNumber value={value} decimals={card.decimals} />}
          {value !== null && <span className="metric-suffix">{card.suffix}</span>}
        </span>
        {card.label !== null && (
          <span className="toned" data-tone={tone}>
            {card.label}
          </span>
        )}
      </p>
      <Bar share={value} {...(tone === undefined ? {} : { tone })} />
      <Older asOf={asOf} />
    </section>
  );
}
