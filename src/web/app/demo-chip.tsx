import { useId, useRef } from 'react';
import type { DemoView } from '#views/model.ts';
import { placeBeside } from '../ui/place-beside.ts';

/** Says that the numbers are not today's market; pressed, where they come from. */
export function DemoChip({ demo }: { demo: DemoView }) {
  const id = useId();
  const chip = useRef<HTMLButtonElement>(null);
  return (
    <>
      <button ref={chip} type="button" className="chip chip-notice chip-button" popoverTarget={id}>
        {demo.text}
      </button>
      <p
        id={id}
        className="about-note"
        popover="auto"
        onBeforeToggle={({ currentTarget, newState }) => {
          if (newState === 'open' && chip.current !== null) placeBeside(currentTarget, chip.current);
        }}
      >
        {demo.title}
      </p>
    </>
  );
}
