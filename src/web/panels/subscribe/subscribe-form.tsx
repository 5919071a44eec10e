import { type FormEvent, useEffect, useRef, useState } from 'react';
import { isEmail } from '#queries/subscribe.ts';
import { Spinner } from '../../ui/icons.tsx';
import { failureText } from './failure-text.ts';

interface SubscribeFormProps {
  subscribe: (email: string) => Promise<void>;
  onSubscribed: () => void;
}

/** Asks for an address; what `subscribe` throws is told under the field, which keeps what was typed. */
export function SubscribeForm({ subscribe, onSubscribed }: SubscribeFormProps) {
  const field = useRef<HTMLInputElement>(null);
  const [email, setEmail] = useState('');
  const [submitting, setSubmitting] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const ready = isEmail(email) && !submitting;

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (!ready) return;
    setSubmitting(true);
    setFailure(null);
    try {
      await subscribe(email.trim());
      onSubscribed();
    } catch (error) {
      setFailure(failureText(error));
      setSubmitting(false);
    }
  }

  // The button with the focus was disabled meanwhile; a failed try goes on in the field.
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
            // What was said of the address before does not hold for another one.
            setFailure(null);
          }}
        />
      </label>
      <div className="field-failure">
        {failure !== null && (
          <p id="subscribe-failure" role="alert">
            {failure}
          </p>
        )}
      </div>
      <button type="submit" className="button button-primary" disabled={!ready}>
        {submitting ? (
          <>
            <Spinner />
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
