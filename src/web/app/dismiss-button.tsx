import { CloseIcon } from '../ui/icons.tsx';

/** Closes its notice. */
export function DismissButton({ onDismiss }: { onDismiss: () => void }) {
  return (
    <button type="button" className="button button-icon" aria-label="Dismiss" onClick={onDismiss}>
      <CloseIcon />
    </button>
  );
}
