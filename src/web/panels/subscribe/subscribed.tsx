import { CheckIcon } from '../../ui/icons.tsx';

const SUBSCRIBED = {
  title: "You're subscribed!",
  text: "You'll receive the market signal in your inbox every week.",
} as const;

/** The texts if the address must be confirmed first. */
const ASKED = {
  title: 'Please confirm your address',
  text: 'We are sending you an email with a button. Press it within seven days to receive the market signal every week.',
} as const;

/** Replaces the form once the address is accepted. */
export function Subscribed({ asksToConfirm }: { asksToConfirm: boolean }) {
  const { title, text } = asksToConfirm ? ASKED : SUBSCRIBED;
  return (
    <div className="subscribed">
      <CheckIcon className="subscribed-mark" />
      <p className="subscribed-title">{title}</p>
      <p className="quiet">{text}</p>
    </div>
  );
}
