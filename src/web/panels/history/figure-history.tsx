import './figure-history.css';
import { type RefObject, useCallback, useEffect, useId, useRef, useState } from 'react';
import type { FigureRow } from '#views/figure-history-view.ts';
import { type HistoryFigure, type StoredFigure, storedFigure } from '#views/stored-figure.ts';
import { ReadDrawing } from '../../ui/load-part.tsx';

export type LoadFigure = (figure: StoredFigure) => Promise<readonly FigureRow[]>;

/** Height of the popover with the chart, in pixels. */
const HEIGHT = 520;
const STICKY_LINE = 48;

const importChart = () => import('./figure-chart.tsx').catch(() => null);

interface FigureHistoryProps {
  of: HistoryFigure;
  name: string;
  load: LoadFigure;
}

/** A button that opens a year of a figure. Not in the markup, because each byte slows the first visit. */
export function FigureHistory({ of, name, load }: FigureHistoryProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [isRunning, setRunning] = useState(false);
  const [wanted, setWanted] = useState(false);
  useEffect(() => setRunning(true), []);
  if (!isRunning) return null;
  const want = () => {
    void importChart();
    setWanted(true);
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="about history-button"
        aria-label={`A year of ${name}`}
        popoverTarget={wanted ? id : undefined}
        onPointerEnter={want}
        onFocus={want}
        // React renders before the browser opens the popover.
        onClick={want}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M1.5 12.5 5.5 7l3 3 6-7" />
        </svg>
      </button>
      {wanted && <Popover {...{ id, of, name, load, button }} />}
    </>
  );
}

interface PopoverProps extends FigureHistoryProps {
  id: string;
  button: RefObject<HTMLButtonElement | null>;
}

/** Scrolls the page so that the popover fits below its button, which stays in the window below the sticky line. */
function makeRoomBelow(button: Element): void {
  const { top, bottom } = button.getBoundingClientRect();
  const missing = Math.min(bottom + HEIGHT - innerHeight, top - STICKY_LINE);
  if (missing > 0) scrollBy({ top: missing, behavior: 'instant' });
}

function Popover({ id, of, name, load, button }: PopoverProps) {
  const note = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  // The figure of a sector is a new object in each rendering.
  const figure = JSON.stringify(of);
  const loadRows = useCallback(() => load(storedFigure(JSON.parse(figure))), [load, figure]);
  // A screen reader then begins with the name of the popover. Closing returns the focus to the button.
  useEffect(() => {
    if (open) note.current?.focus({ preventScroll: true });
  }, [open]);
  return (
    <div
      ref={note}
      id={id}
      popover="auto"
      className="about-note history-note"
      role="dialog"
      tabIndex={-1}
      aria-labelledby={`${id}-name`}
      onBeforeToggle={({ newState }) => {
        if (newState === 'open' && button.current !== null) makeRoomBelow(button.current);
      }}
      onToggle={({ newState }) => setOpen(newState === 'open')}
    >
      <div className="history-head">
        <strong id={`${id}-name`}>
          {`${typeof of === 'object' ? `Sector strength of ${name}` : name}: a year of daily closes`}
        </strong>
        <button type="button" className="button" popoverTarget={id} popoverTargetAction="hide">
          Close
        </button>
      </div>
      {open && (
        <ReadDrawing
          load={loadRows}
          importCode={importChart}
          subject={`The history of ${name}`}
          className="history-place"
        >
          {(rows, { FigureChart }) => <FigureChart rows={rows} of={of} name={name} />}
        </ReadDrawing>
      )}
    </div>
  );
}
