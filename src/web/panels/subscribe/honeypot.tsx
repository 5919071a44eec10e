import type { RefObject } from 'react';

interface HoneypotProps {
  field: RefObject<HTMLInputElement | null>;
}

/**
 * A field that only programs fill in: it is invisible, not focusable and hidden from screen readers. Its attributes
 * tell browsers and password managers not to fill it in.
 */
export function Honeypot({ field }: HoneypotProps) {
  return (
    <div className="visually-hidden" aria-hidden="true">
      <label>
        Website
        <input
          ref={field}
          type="text"
          name="website"
          tabIndex={-1}
          autoComplete="off"
          data-1p-ignore=""
          data-lpignore="true"
          data-bwignore=""
          data-form-type="other"
        />
      </label>
    </div>
  );
}
