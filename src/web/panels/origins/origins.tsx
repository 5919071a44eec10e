import { lazy, memo, Suspense, useState } from 'react';
import type { SourcesView } from '#views/model.ts';
import type { InputOriginRow } from '#views/origins-view.ts';
import { ChevronIcon } from '../../ui/icons.tsx';
import { LoadBoundary } from '../../ui/load-boundary.tsx';
import { sameProps } from '../../ui/same-props.ts';
import { ORIGINS_ID } from './origins-link.tsx';
import { ORIGINS_LOADING } from './origins-loading.tsx';

const OriginsTable = lazy(async () => ({ default: (await import('./origins-table.tsx')).OriginsTable }));

/** Reads the origins of the rows of a time. Throws an error whose message is for visitors. */
export type LoadOrigins = (createdAt: string) => Promise<readonly InputOriginRow[]>;

interface OriginsProps {
  sources: SourcesView;
  load: LoadOrigins;
}

/** Provider and time of each input of the page, folded away; read and rendered when a visitor opens it. */
export const Origins = memo(function Origins({ sources, load }: OriginsProps) {
  const [open, setOpen] = useState(false);
  return (
    <details id={ORIGINS_ID} className="card origins" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>Where these numbers come from</h2>
        <ChevronIcon className="origins-chevron" />
      </summary>
      <div className="origins-content">
        {sources.text !== null && <p>{sources.text}</p>}
        {sources.text === null && open && (
          <LoadBoundary>
            <Suspense fallback={<div className="origins-place">{ORIGINS_LOADING}</div>}>
              <OriginsTable sources={sources} load={load} />
            </Suspense>
          </LoadBoundary>
        )}
      </div>
    </details>
  );
}, sameProps);
