import { CheckIcon } from '../../ui/icons.tsx';

/** What takes the form's place once an address is subscribed. */
export function Subscribed() {
  return (
    <div className="subscribed">
      <CheckIcon className="subscribed-mark" />
      <p className="subscribed-title">You're subscribed!</p>
      <p className="quiet">You'll receive the market signal in your inbox every week.</p>
    </div>
  );
}
