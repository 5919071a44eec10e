import { createContext, type ReactNode, useContext } from 'react';

/** True if the page comes from a server, which has pages for past days and for the method; a static host has none. */
export const HasServerPages = createContext(false);

interface ServerLinkProps {
  /** Path of the page, relative to the dashboard. */
  to: string;
  children: ReactNode;
}

/** A link to another page of the server; only its content if there is no such page. */
export function ServerLink({ to, children }: ServerLinkProps) {
  if (!useContext(HasServerPages)) return children;
  return (
    <a className="to-server" href={to}>
      {children}
    </a>
  );
}

/**
 * When the page read its rows (epoch ms). A context, because an open part with its own read must render after each
 * refresh, even if its panel did not change.
 */
export const ReadAt = createContext(0);
