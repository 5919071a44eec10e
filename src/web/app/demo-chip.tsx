import { useId, useRef } from 'react';
import type { DemoView } from '#views/model.ts';
import { useBeside } from '../ui/use-beside.ts';

/** States that the numbers are demonstration data. Its popover names their source. */
export function DemoChip({ demo }: { demo: DemoView }) {
  const id = useId();
  const chip = useRef<HTMLButtonElement>(null);
  const note = useRef<HTMLParagraphElement>(null);
  const { handlers } = useBeside(note, chip);
  return (
    <>
      <button ref={chip} type="button" className="chip chip-notice chip-button" popoverTarget={id}>
        {demo.text}
      </button>
      <p ref={note} id={id} className="about-note" popover="auto" {...handlers}>
        {demo.title}
      </p>
    </>
  );
}
