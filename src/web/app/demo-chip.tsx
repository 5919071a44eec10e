import { useId, useRef, useState } from 'react';
import type { DemoView } from '#views/model.ts';
import { placeBeside } from '../ui/place-beside.ts';
import { useBeside } from '../ui/use-beside.ts';

/** Says that the numbers are not today's market; pressed, where they come from. */
export function DemoChip({ demo }: { demo: DemoView }) {
  const id = useId();
  const chip = useRef<HTMLButtonElement>(null);
  const note = useRef<HTMLParagraphElement>(null);
  const [open, setOpen] = useState(false);
  useBeside(note, chip, open);
  return (
    <>
      <button ref={chip} type="button" className="chip chip-notice chip-button" popoverTarget={id}>
        {demo.text}
      </button>
      <p
        ref={note}
        id={id}
        className="about-note"
        popover="auto"
        onBeforeToggle={({ currentTarget, newState }) => {
          if (newState === 'open' && chip.current !== null) placeBeside(currentTarget, chip.current);
        }}
        onToggle={({ newState }) => setOpen(newState === 'open')}
      >
        {demo.title}
      </p>
    </>
  );
}
