import { memo } from 'react';
import type { IndicesView } from '#views/indices-view.ts';
import { About } from '../../ui/about.tsx';
import { sameProps } from '../../ui/page-context.tsx';
import { Older, WithUnit } from '../../ui/status.tsx';

export const IndexStrip = memo(function IndexStrip({ view }: { view: IndicesView }) {
  return (
    <section className="card index-strip" aria-label="Market indices">
      <ul>
        {view.items.map((item, index) => (
          <li key={item.symbol}>
            <span className="quiet index-name">
              {item.name}
              {/* The three indices in one row, with one explanation for all of them. */}
              {index === 0 && <About of="indices" name="Market Indices" />}
            </span>{' '}
            <strong className="index-price">{item.price.text}</strong>{' '}
            <span className="index-change toned" data-tone={item.tone}>
              {item.change.text}
            </span>{' '}
            <span className="index-percent toned" data-tone={item.tone}>
              <WithUnit text={item.changePercent.text} />
            </span>
          </li>
        ))}
      </ul>
      <Older asOf={view.asOf} />
    </section>
  );
}, sameProps);
