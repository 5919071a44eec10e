import { memo } from 'react';
import type { InsightsView } from '#views/insights-view.ts';
import { NOT_MEASURED } from '#views/page-texts.ts';
import { sameProps } from '../../ui/page-context.tsx';

export const InsightsPanel = memo(function InsightsPanel({ view }: { view: InsightsView }) {
  return (
    <section className="card insights" aria-labelledby="insights-title">
      <h2 id="insights-title">{view.title}</h2>
      <ul>
        {view.items.map(({ key, dot, dotText, text }) => (
          <li key={key}>
            <span className="insight-dot" data-dot={dot} aria-hidden="true" />
            <strong>{dotText ?? NOT_MEASURED}</strong> <p>{text}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}, sameProps);
