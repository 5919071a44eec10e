import { useCallback, useEffect, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Explanation, Metric } from '#views/explanations.ts';

interface AboutProps {
  of: Metric;
  name: string;
}

/** A button that explains a metric. Its popover is rendered, and its texts are fetched, on first use. */
export function About({ of, name }: AboutProps) {
  const id = useId();
  const [wanted, setWanted] = useState(false);
  const want = useCallback(() => setWanted(true), []);

  return (
    <>
      {/* biome-ignore lint/a11y/useButtonType: it is in no form, and the first load has dozens of these buttons */}
      <button
        className="about"
        aria-label={`About ${name}`}
        // Omitted until used: the page has dozens of these buttons, and each attribute adds bytes to the first load.
        popoverTarget={wanted ? id : undefined}
        onPointerEnter={want}
        onFocus={want}
        // The browser opens the popover after this handler, so it has to be in the page by then.
        onClick={() => flushSync(want)}
      />
      {wanted && <AboutNote id={id} of={of} name={name} />}
    </>
  );
}

const FAILED = 'This explanation could not be loaded. Please reload the page.';

async function explain(metric: Metric): Promise<Explanation> {
  return (await import('#views/explanations.ts')).EXPLANATIONS[metric];
}

interface AboutNoteProps {
  id: string;
  of: Metric;
  name: string;
}

/** The popover of an information button, made of spans, because the button can be inside a line of text. */
export function AboutNote({ id, of, name }: AboutNoteProps) {
  const note = useRef<HTMLSpanElement>(null);
  const [open, setOpen] = useState(false);
  const [explanation, setExplanation] = useState<Explanation | null>(null);
  const [failed, setFailed] = useState(false);

  // Fetches the texts when the popover is first rendered, and after a failure each time it opens.
  useEffect(() => {
    if (explanation !== null) return;
    let current = true;
    explain(of).then(
      (found) => current && setExplanation(found),
      () => current && setFailed(open),
    );
    return () => {
      current = false;
    };
  }, [of, open, explanation]);

  // The focus moves into the text once it has loaded. Closing returns it to the button.
  const readable = explanation !== null || failed;
  useEffect(() => {
    if (open && readable) note.current?.focus({ preventScroll: true });
  }, [open, readable]);

  return (
    <span
      ref={note}
      id={id}
      popover="auto"
      className="about-note"
      role="dialog"
      tabIndex={-1}
      aria-labelledby={`${id}-name`}
      aria-describedby={`${id}-text`}
      // A popover that closes and opens again at once fires one event, and `open` stays true.
      onToggle={(event) => {
        setOpen(event.newState === 'open');
        if (event.newState === 'open' && readable) note.current?.focus({ preventScroll: true });
      }}
    >
      <strong id={`${id}-name`}>{name}</strong>
      <span id={`${id}-text`}>{explanation?.text ?? (failed ? FAILED : 'Loading the explanation…')}</span>
      {explanation?.bands != null && <span className="quiet small">{explanation.bands}</span>}
    </span>
  );
}
