import { createContext } from 'react';

/**
 * When the page read its rows (epoch ms). A context, since only a part that is open and reads for itself has to hear
 * of a refresh in which the panel around it came out the same.
 */
export const ReadAt = createContext(0);

/** The instant of the newest row on the page (epoch ms); null without rows. */
export const NewestAt = createContext<number | null>(null);
