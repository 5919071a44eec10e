import { lazy, memo, type ReactNode, useState } from 'react';
import type { AdvancedView, SourcesView } from '#views/model.ts';
import type { InputOriginRow } from '#views/origins-view.ts';
import { Icon } from '../../ui/icons.tsx';
import { LoadBoundary } from '../../ui/load-boundary.tsx';
import { sameProps } from '../../ui/same-props.ts';
import { Loading } from '../../ui/use-read.tsx';

const OriginsTable = lazy(async () => ({ default: (await import('./origins-table.tsx')).OriginsTable }));

/** Reads the origins of the rows of a time. Throws an error whose message is for visitors. */
export type LoadOrigins = (createdAt: string) => Promise<readonly InputOriginRow[]>;

/** Subject and styles of the table and of the sentences in its place. */
const PART = {
  subject: 'Where the numbers come from',
  className: 'origins-place',
  wordsClass: 'origins-words',
} as const;
export type OriginsPart = typeof PART;

interface OriginsProps {
  sources: SourcesView;
  /** The tiles that state which stocks they count. */
  advanced: AdvancedView | null;
  load: LoadOrigins;
}

/** Provider and time of each input of the page, folded away; read and rendered when a visitor opens it. */
export const Origins = memo(function Origins({ sources, advanced, load }: OriginsProps) {
  const [open, setOpen] = useState(false);
  return (
    <details id={ORIGINS_ID} className="card origins" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>Where these numbers come from</h2>
        <Icon name="chevron" className="origins-chevron" />
      </summary>
      <div className="origins-content">
        {sources.text !== null && <p>{sources.text}</p>}
        {sources.text === null && open && (
          <LoadBoundary
            fallback={
              <div className={PART.className}>
                <Loading {...PART} />
              </div>
            }
          >
            <OriginsTable sources={sources} advanced={advanced} load={load} part={PART} />
          </LoadBoundary>
        )}
      </div>
    </details>
  );
}, sameProps);

/** The disclosure's id in the page. */
export const ORIGINS_ID = 'origins';

function open(): void {
  const disclosure = document.getElementById(ORIGINS_ID);
  if (disclosure instanceof HTMLDetailsElement) disclosure.open = true;
}

/** A link that opens the origins of the numbers. */
export function OriginsLink({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <a className={className} href={`#${ORIGINS_ID}`} onClick={open}>
      {children}
    </a>
  );
}
