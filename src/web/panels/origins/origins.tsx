import { memo, type ReactNode, useCallback, useState } from 'react';
import type { AdvancedView } from '#views/advanced-view.ts';
import type { InputOriginRow } from '#views/origins-view.ts';
import type { SourcesView } from '#views/sources-view.ts';
import { Icon } from '../../ui/icons.tsx';
import { ReadDrawing } from '../../ui/load-part.tsx';
import { sameProps } from '../../ui/page-context.tsx';

const importTable = () => import('./origins-table.tsx').catch(() => null);

export type LoadOrigins = (createdAt: string) => Promise<readonly InputOriginRow[]>;

interface OriginsProps {
  sources: SourcesView;
  /** The tiles that state which stocks they count. */
  advanced: AdvancedView | null;
  load: LoadOrigins;
}

/** Provider and time of each input of the page, folded away; read and rendered when a visitor opens it. */
export const Origins = memo(function Origins({ sources, advanced, load }: OriginsProps) {
  const [open, setOpen] = useState(false);
  const { createdAt, universe } = sources;
  const loadTable = useCallback(
    async () => ({ rows: await load(createdAt), page: { universe, advanced } }),
    [load, createdAt, universe, advanced],
  );
  return (
    <details id={ORIGINS_ID} className="card origins" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>Where these numbers come from</h2>
        <Icon name="chevron" className="chevron" />
      </summary>
      <div className="origins-content">
        {sources.text !== null && <p>{sources.text}</p>}
        {sources.text === null && open && (
          <ReadDrawing
            load={loadTable}
            importCode={importTable}
            subject="Where the numbers come from"
            className="origins-place"
            wordsClass="origins-words"
          >
            {(table, { OriginsTable }) => <OriginsTable {...table} />}
          </ReadDrawing>
        )}
      </div>
    </details>
  );
}, sameProps);

export const ORIGINS_ID = 'origins';

function open(): void {
  const disclosure = document.getElementById(ORIGINS_ID);
  if (disclosure instanceof HTMLDetailsElement) disclosure.open = true;
}

export function OriginsLink({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <a className={className} href={`#${ORIGINS_ID}`} onClick={open}>
      {children}
    </a>
  );
}
