import type { AdvancedView } from '#views/model.ts';
import { NOT_MEASURED } from '#views/not-measured.ts';
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
        {view.items.map((sector) => (
          <li key={sector.name} className="bar-row sector-row">
            <span>{sector.name}</span>
            <Bar share={sector.value} tone={sector.tone ?? 'neutral'} />
            <span className="bar-row-value">
              <WithUnit text={sector.percentText} />
            </span>
            <span className="bar-row-word toned" data-tone={sector.tone}>
              {sector.label ?? NOT_MEASURED}
            </span>
            <span className="bar-row-last quiet">{sector.countText}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
