import type { RefObject } from 'react';

interface HoneypotProps {
  field: RefObject<HTMLInputElement | null>;
}

/**
 * A field that no person sees, reaches or hears, and that programs which fill in forms fill in. The attributes
 * keep browsers and password managers from doing so in a person's name, each as its maker reads them.
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
