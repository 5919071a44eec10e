import { useCallback, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Metric } from '#views/explanations.ts';
import { AboutNote } from './about-note.tsx';

interface AboutProps {
  of: Metric;
  /** Name of the metric, as the page shows it beside the button. */
  name: string;
}

/** A button that explains a metric. Its popover is rendered, and its texts are fetched, on first use. */
export function About({ of, name }: AboutProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [wanted, setWanted] = useState(false);
  const want = useCallback(() => setWanted(true), []);

  return (
    <>
      <button
        ref={button}
        type="button"
        className="about"
        aria-label={`About ${name}`}
        // Omitted until used: the page has dozens of these buttons, and each attribute adds bytes to the first load.
        popoverTarget={wanted ? id : undefined}
        onPointerEnter={want}
        onFocus={want}
        // The browser opens the popover after this handler, so it has to be in the page by then.
        onClick={() => flushSync(want)}
      />
      {wanted && <AboutNote id={id} of={of} name={name} button={button} />}
    </>
  );
}
