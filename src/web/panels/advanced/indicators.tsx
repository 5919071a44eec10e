import type { AdvancedView } from '#views/model.ts';
import { About } from '../../ui/about.tsx';
import { Older } from '../../ui/older.tsx';
import { Status } from '../../ui/status.tsx';
import { WithUnit } from '../../ui/with-unit.tsx';

type IndicatorsView = NonNullable<AdvancedView['indicators']>;

/** One tile per indicator. Indicators that count stocks name the counted set. */
export function Indicators({ view }: { view: IndicatorsView }) {
  return (
    <section aria-labelledby="indicators-title">
      <h3 id="indicators-title">Advanced Indicators</h3>
      <Older asOf={view.asOf} />
      <dl className="indicator-tiles">
        {view.items.map((item) => (
          <div key={item.key} className="tile">
            <dt className="indicator-line quiet small">
              <span>
                {item.name}
                <About of={item.key} name={item.name} />
              </span>
              {item.universe !== null && <span>{item.universe}</span>}
            </dt>
            <dd className="indicator-line">
              <span className="tile-value">
                <WithUnit text={item.text} />
              </span>
              <span className="small">
                {item.tone === null ? (
                  <span className="quiet">{item.label ?? item.missingText}</span>
                ) : (
                  <Status status={item.tone}>{item.label}</Status>
                )}
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
