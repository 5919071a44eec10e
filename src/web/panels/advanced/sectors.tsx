import type { AdvancedView } from '#views/model.ts';
import { NOT_MEASURED } from '#views/page-texts.ts';
import { About } from '../../ui/about.tsx';
import { Bar } from '../../ui/bar.tsx';
import { Older } from '../../ui/older.tsx';
import { useEntrance } from '../../ui/use-entrance.ts';
import { WithUnit } from '../../ui/with-unit.tsx';

type SectorsView = NonNullable<AdvancedView['sectors']>;

/** Strength of each sector, strongest first. */
export function Sectors({ view }: { view: SectorsView }) {
  const [ref, entrance] = useEntrance<HTMLUListElement>();
  return (
    <section aria-labelledby="sectors-title">
      <div className="panel-head">
        <h3 id="sectors-title">Sector Strength</h3>
        <About of="sectors" name="Sector Strength" />
      </div>
      <Older asOf={view.asOf} />
      {view.absentText !== null && <p className="quiet small">{view.absentText}</p>}
      <ul ref={ref} className="sector-rows" data-entrance={entrance}>
        {view.items.map(({ name, value, text, label, tone }) => (
          <li key={name} className="bar-row sector-row">
            <span>{name}</span>
            <Bar share={value} tone={tone ?? 'neutral'} />
            <span className="bar-row-value">
              <WithUnit text={value === null ? text : `${text}%`} />
            </span>
            <span className="bar-row-word toned" data-tone={tone}>
              {label ?? NOT_MEASURED}
            </span>
            <span className="bar-row-last quiet">{value === null ? text : `${text} / 100`}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
