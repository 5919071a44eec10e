import './share-menu.css';
import { type FormEvent, useLayoutEffect, useRef, useState } from 'react';
import { EMBED_SIZE } from '#views/page-texts.ts';

interface ShareMenuProps {
  id: string;
  button: HTMLButtonElement;
  onClose: () => void;
}

/** Link, badge and embed code to copy, and the share dialog of a browser that has one. Open while it is mounted. */
export function ShareMenu({ id, button, onClose }: ShareMenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const [notice, setNotice] = useState('');
  const page = new URL('.', document.baseURI).href;
  const snippets = snippetsOf(page);

  useLayoutEffect(() => {
    menu.current?.showPopover({ source: button });
    menu.current?.querySelector('button')?.focus({ preventScroll: true });
  }, [button]);

  async function share() {
    try {
      await navigator.share({ title: document.title, url: page });
    } catch (error) {
      const isDismissed = error instanceof Error && error.name === 'AbortError';
      if (!isDismissed) setNotice('This browser could not share the link. Copy it instead.');
    }
  }

  async function copy(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const field = event.currentTarget.querySelector('input');
    if (field === null) return;
    field.select();
    try {
      // The clipboard is absent on a page that was not loaded over a secure connection.
      await navigator.clipboard.writeText(field.value);
      setNotice(`${field.name} copied.`);
    } catch {
      setNotice('The text is selected. Copy it with the keyboard or the menu of the browser.');
    }
  }

  return (
    <div
      ref={menu}
      id={id}
      popover="auto"
      className="about-note share-menu"
      role="dialog"
      aria-label="Share"
      onToggle={({ newState }) => newState === 'closed' && onClose()}
    >
      {'share' in navigator && (
        <button type="button" className="button button-primary" onClick={share}>
          Share the link…
        </button>
      )}
      {snippets.map(({ name, text }) => (
        <form key={name} className="share-field" onSubmit={copy}>
          <label>
            <span className="quiet small">{name}</span>
            <input
              className="text-field"
              name={name}
              readOnly
              value={text}
              onFocus={(event) => event.currentTarget.select()}
            />
          </label>
          <button type="submit" className="button" aria-label={`Copy ${name}`}>
            Copy
          </button>
        </form>
      ))}
      <p className="quiet small share-notice" role="status">
        {notice}
      </p>
    </div>
  );
}

/** The link to the dashboard at this address, and the HTML of its badge and of its card, whose size oEmbed states. */
export function snippetsOf(page: string) {
  const { width, height } = EMBED_SIZE;
  const at = (path: string) => new URL(path, page).href.replaceAll('&', '&amp;');
  return [
    { name: 'Link', text: page },
    {
      name: 'Badge code',
      text: `<a href="${at('.')}"><img src="${at('badge.svg')}" alt="Market signal" height="20"></a>`,
    },
    {
      name: 'Embed code',
      text: `<iframe src="${at('embed')}" title="Market signal" width="${width}" height="${height}" style="border:0" loading="lazy"></iframe>`,
    },
  ];
}
