import { memo } from 'react';
import type { IndicesView } from '#views/model.ts';
import { sameProps } from '../../ui/same-props.ts';

/** The indices in a line under the header. */
export const IndexStrip = memo(function IndexStrip({ view }: { view: IndicesView }) {
  return (
    <section className="card index-strip" aria-label="Market indices">
      <ul>
        {view.items.map((item) => (
          <li key={item.symbol}>
            <span className="quiet index-name">{item.name}</span>
            <span className="index-figures">
              <span className="index-price">{item.price.text}</span>
              <span className="toned" data-tone={item.tone}>
                {item.change.text} ({item.changePercent.text})
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}, sameProps);
