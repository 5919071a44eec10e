import { createContext } from 'react';
import type { DashboardRows } from '#views/dashboard.ts';

/** The Fear & Greed readings of the last 365 days, ascending. */
export type History = DashboardRows['fearGreed']['timeline'];

/** Reads them; throws an error whose message a visitor can read. */
export type LoadHistory = () => Promise<History>;

/**
 * When the page read its rows (epoch ms). A context, since only a timeline that is open has to hear of a refresh in
 * which the panel around it came out the same.
 */
export const ReadAt = createContext(0);
