import { createContext } from 'react';

/**
 * When the page read its rows (epoch ms). A context, because an open part with its own read must render after each
 * refresh, even if its panel did not change.
 */
export const ReadAt = createContext(0);

/** The instant of the newest row on the page (epoch ms); null without rows. */
export const NewestAt = createContext<number | null>(null);
