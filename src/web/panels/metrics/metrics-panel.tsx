import { memo, type ReactNode } from 'react';
import type { MetricCard, MetricsView } from '#views/metrics-view.ts';
import { About } from '../../ui/about.tsx';
import { Bar } from '../../ui/bar.tsx';
import { CountedNumber } from '../../ui/counted-number.tsx';
import { useEntrance } from '../../ui/first-view.ts';
import { useCode } from '../../ui/load-part.tsx';
import { sameProps } from '../../ui/page-context.tsx';
import { Older } from '../../ui/status.tsx';
import type { LoadFigure } from '../history/figure-history.tsx';

interface MetricsPanelProps {
  view: MetricsView;
  load?: LoadFigure;
}

export const MetricsPanel = memo(function MetricsPanel({ view, load }: MetricsPanelProps) {
  const [ref, entrance, seen] = useEntrance<HTMLDivElement>();
  const code = useCode(seen, () => import('../advanced/advanced-content.tsx'));
  return (
    <div ref={ref} className="two-up" data-entrance={entrance}>
      {view.cards.map((card) => (
        <Metric key={card.key} card={card} asOf={view.asOf}>
          {code && load && <code.FigureHistory of={card.key} name={card.title} load={load} />}
        </Metric>
      ))}
    </div>
  );
}, sameProps);

interface MetricProps {
  card: MetricCard;
  asOf: MetricsView['asOf'];
  children: ReactNode;
}

function Metric({ card, asOf, children }: MetricProps) {
  const { value, color } = card;
  const tone = color === null ? undefined : `color-${color}`;
  return (
    <section className="card metric" aria-labelledby={`metric-${card.key}`}>
      <div className="panel-head">
        <h2 id={`metric-${card.key}`}>{card.title}</h2>
        <About of={card.key} name={card.title} />
        {children}
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
      <Bar value={value} {...(tone === undefined ? {} : { tone })} />
      <Older asOf={asOf} />
    </section>
  );
}
