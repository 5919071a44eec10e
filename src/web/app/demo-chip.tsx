import { useId } from 'react';
import type { DemoView } from '#views/model.ts';

/** Says that the numbers are not today's market; pressed, whose they are. */
export function DemoChip({ demo }: { demo: DemoView }) {
  const id = useId();
  return (
    <>
      <button type="button" className="chip chip-notice chip-button" popoverTarget={id}>
        {demo.text}
      </button>
      <p id={id} className="explanation" popover="auto">
        {demo.title}
      </p>
    </>
  );
}
