import { PROVIDER } from './provider.ts';
import type { WidgetLink } from './widget.tsx';
import type { Phase } from './widget-state.ts';

const WORDS: Record<Exclude<Phase, 'open' | 'answered'>, string> = {
  waiting: 'Trying again…',
  silent: 'This chart has not responded yet. It may be slow or blocked.',
  blocked: `${PROVIDER.name} does not respond. This network or browser may block it.`,
  offline: 'You are offline. This chart returns when the network does.',
};

interface WidgetNoteProps {
  phase: keyof typeof WORDS;
  link: WidgetLink;
  onRetry: () => void;
}

/** Shows why a widget is missing, with a link to the same content and a Retry button. */
export function WidgetNote({ phase, link, onRetry }: WidgetNoteProps) {
  return (
    <div className="widget-note">
      <p role="status">
        {WORDS[phase]}{' '}
        <a href={link.url} target="_blank" rel="noopener nofollow">
          Open it at {PROVIDER.name}
        </a>
      </p>
      <button type="button" className="button" onClick={onRetry} disabled={phase === 'waiting'}>
        Retry
      </button>
    </div>
  );
}
