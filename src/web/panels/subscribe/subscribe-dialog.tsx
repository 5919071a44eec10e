import './subscribe.css';
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { DemoView } from '#views/sources-view.ts';
import { Icon } from '../../ui/icons.tsx';
import { afterPaint } from '../../ui/theme.ts';
import { SubscribeForm } from './subscribe-form.tsx';

const CLOSE_DELAY = 2000;

interface SubscribeDialogProps {
  subscribe: (email: string, alerts: boolean) => Promise<void>;
  draft: RefObject<string>;
  doubleOptIn: boolean;
  /** The address at which visitors can subscribe, or '' for none, if this page has no form. */
  elsewhere?: unknown;
  /** Set if the numbers of the page, and so of the mails, are a demonstration. */
  demo?: DemoView | null | undefined;
  onClose: () => void;
}

/** Open while it is mounted. Closes 2 s after success, unless the address must still be confirmed. */
export function SubscribeDialog(props: SubscribeDialogProps) {
  const { subscribe, draft, doubleOptIn, elsewhere, demo, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const pressedOutside = useRef(false);
  const [subscribed, setSubscribed] = useState(false);

  // Closing makes the whole page usable again, which takes a slow phone a tenth of a second.
  const leave = () => {
    dialog.current?.classList.add('dialog-left');
    afterPaint(onClose);
  };

  // Layout effect: closing restores the focus only while the dialog is still in the page.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element === null) return;
    element.showModal();
    // Selects an address typed earlier, so that typing replaces it.
    element.querySelector('input')?.select();
    return () => element.close();
  }, []);

  useEffect(() => {
    if (!subscribed) return;
    // Moves the focus to the dialog, because the form has lost it.
    dialog.current?.querySelector('button')?.focus();
    if (doubleOptIn) return;
    const timer = setTimeout(onClose, CLOSE_DELAY);
    return () => clearTimeout(timer);
  }, [subscribed, doubleOptIn, onClose]);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the Escape key closes it too
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby="subscribe-title"
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
      // A click closes it only if it began on the overlay, so that a selection dragged out of the field does not.
      onPointerDown={({ target }) => {
        pressedOutside.current = target === dialog.current;
      }}
      onClick={({ target }) => pressedOutside.current && target === dialog.current && leave()}
    >
      <div className="dialog-body">
        <div className="dialog-head">
          <h2 id="subscribe-title">Get the Weekly Signal</h2>
          <button type="button" className="button button-icon" aria-label="Close" onClick={leave}>
            <Icon name="close" />
          </button>
        </div>
        <div className="subscribe-states">
          {/* Keeps the space of the content that replaces it, so that the dialog keeps its size. */}
          <div className="subscribe-ask" inert={subscribed}>
            {demo && <p className="chip chip-notice subscribe-demo">{`${demo.text}, in the mails too`}</p>}
            {typeof elsewhere === 'string' ? (
              <Elsewhere address={elsewhere} />
            ) : (
              <SubscribeForm subscribe={subscribe} draft={draft} onSubscribed={() => setSubscribed(true)} />
            )}
          </div>
          {/* This element is in the page before it has text, so that screen readers announce the text. */}
          <div role="status">{subscribed && <Subscribed doubleOptIn={doubleOptIn} />}</div>
        </div>
      </div>
    </dialog>
  );
}

/** Replaces the form of a page without a server. */
function Elsewhere({ address }: { address: string }) {
  return (
    <p>
      {address === '' ? (
        'This copy of the page has no form. Follow the feed instead: '
      ) : (
        <>
          Subscribe at <a href={address}>{address}</a>, or follow the feed:{' '}
        </>
      )}
      <a href="feed.atom">feed.atom</a>.
    </p>
  );
}

export function Subscribed({ doubleOptIn }: { doubleOptIn: boolean }) {
  const { title, text } = doubleOptIn
    ? {
        title: 'Please confirm your address',
        text: 'We are sending you an email with a button. Press it within seven days to receive the market signal every week.',
      }
    : {
        title: "You're subscribed!",
        text: "You'll receive the market signal in your inbox every week.",
      };
  return (
    <div className="subscribed">
      <Icon name="check" className="subscribed-mark" />
      <p className="subscribed-title">{title}</p>
      <p className="quiet">{text}</p>
    </div>
  );
}
