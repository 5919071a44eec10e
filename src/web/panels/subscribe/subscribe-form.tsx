import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { hasInvisible, INVISIBLE_CHARACTER, isEmail } from '#queries/subscribe.ts';
import { Icon } from '../../ui/icons.tsx';

interface SubscribeFormProps {
  subscribe: (email: string, alerts: boolean) => Promise<void>;
  draft: RefObject<string>;
  onSubscribed: () => void;
}

/** True if the honeypot was filled in. Empties it, so that a person whose tool filled it can try again. */
function isCaught(honeypot: HTMLInputElement | null): boolean {
  if (honeypot === null || honeypot.value === '') return false;
  honeypot.value = '';
  return true;
}

/** The form for an address. Shows an error of `subscribe` under the field, which keeps the typed text. */
export function SubscribeForm({ subscribe, draft, onSubscribed }: SubscribeFormProps) {
  const field = useRef<HTMLInputElement>(null);
  const alerts = useRef<HTMLInputElement>(null);
  const honeypot = useRef<HTMLInputElement>(null);
  const [email, setEmail] = useState(draft.current);
  const [submitting, setSubmitting] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const ready = isEmail(email) && !submitting;

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (!ready) return;
    setSubmitting(true);
    setFailure(null);
    try {
      // Shown like any other failure, so that a program cannot recognise the honeypot.
      if (isCaught(honeypot.current)) throw new Error();
      await subscribe(email, alerts.current?.checked === true);
      draft.current = '';
      onSubscribed();
    } catch (error) {
      setFailure(failureText(error));
      setSubmitting(false);
    }
  }

  // Check the pasted text: Chromium's email field silently removes such characters from a domain.
  useEffect(() => {
    const refuse = (event: InputEvent) => {
      if (!hasInvisible(event.data ?? event.dataTransfer?.getData('text/plain') ?? '')) return;
      event.preventDefault();
      setFailure(INVISIBLE_CHARACTER);
    };
    const input = field.current;
    input?.addEventListener('beforeinput', refuse);
    return () => input?.removeEventListener('beforeinput', refuse);
  }, []);

  // The focused button was disabled during the request. After a failure the focus returns to the field.
  useEffect(() => {
    if (failure !== null) field.current?.focus();
  }, [failure]);

  return (
    // Our own pattern decides, so that the browser's stricter one does not contradict an enabled button.
    <form className="subscribe-form" noValidate onSubmit={submit}>
      <p className="quiet">Buy, Hold or Sell with its reasons, once a week by email.</p>
      <label className="field">
        <span className="field-label">Email Address</span>
        <input
          ref={field}
          className="text-field"
          type="email"
          name="email"
          required
          autoComplete="email"
          inputMode="email"
          placeholder="you@example.com"
          value={email}
          aria-invalid={failure !== null}
          aria-describedby={failure === null ? undefined : 'subscribe-failure'}
          onChange={(event) => {
            setEmail(event.target.value);
            draft.current = event.target.value;
            // An error about the old address does not apply to the new one.
            setFailure(null);
          }}
        />
      </label>
      <Honeypot field={honeypot} />
      <div className="field-failure">
        {failure !== null && (
          <p id="subscribe-failure" role="alert">
            {failure}
          </p>
        )}
      </div>
      <label className="option">
        <input ref={alerts} type="checkbox" name="alerts" />
        Also tell me when the verdict changes
      </label>
      <button type="submit" className="button button-primary" disabled={!ready}>
        {submitting ? (
          <>
            <Icon name="spinner" className="turning" />
            Subscribing...
          </>
        ) : (
          'Subscribe'
        )}
      </button>
      <p className="quiet small">
        We respect your privacy. Unsubscribe at any time. No spam, just weekly market insights.
      </p>
    </form>
  );
}

export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return 'Something went wrong';
  return error.message || 'Failed to subscribe. Please try again.';
}

/** An invisible field that only programs fill in. Its attributes tell browsers and password managers not to. */
function Honeypot({ field }: { field: RefObject<HTMLInputElement | null> }) {
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
