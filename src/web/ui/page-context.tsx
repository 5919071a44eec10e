import { createContext, type ReactNode, useContext } from 'react';

/** True if the page comes from a server, which has pages for past days and for the method; a static host has none. */
export const HasServerPages = createContext(false);

interface ServerLinkProps {
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

/** True if two sets of plain props are deeply equal: a refresh renders only panels whose model changed. For `memo`. */
export function sameProps<Props extends object>(before: Props, after: Props): boolean {
  const keys = Object.keys(after) as (keyof Props)[];
  return keys.every(
    (key) => Object.is(before[key], after[key]) || JSON.stringify(before[key]) === JSON.stringify(after[key]),
  );
}
