import { GREEN_ABOVE, METRIC_BANDS, SECTOR_BANDS, SECTOR_TOTAL } from '#domain/bands/score-bands.ts';
import { EXCHANGE } from '#domain/breadth/universe.ts';
import { FAST_AVERAGE, RETURN_SESSIONS, SLOW_AVERAGE } from '#domain/sectors/sector-readings.ts';
import {
  SLOW_AVERAGE as INDEX_AVERAGE,
  LEAST_PARTS,
  RANK_SESSIONS,
} from '#domain/strength/overall-strength.ts';
import { describeBandsUpward, type Explanation } from './band-words.ts';

export const STRENGTH_EXPLANATIONS = {
  marketExposure: {
    name: 'Market Exposure',
    text: `Market Exposure shows how much of the market takes part in a rise. It is the percentage of the stocks followed that closed above the average of their last ${FAST_AVERAGE} closes.`,
    bands: describeBandsUpward(METRIC_BANDS),
  },
  overallStrength: {
    name: 'Overall Strength',
    text: `Overall Strength shows on a scale from 0 to 100 how healthy the market is. It is the average of four percentages, of which at least ${LEAST_PARTS} must be known. They are the stocks that closed above the average of their last ${SLOW_AVERAGE} closes, the High/Low Index, the mean Sector Strength, and a rank of the S&P 500. The rank is the percentage of the last ${RANK_SESSIONS} trading days on which the S&P 500 was lower, relative to its ${INDEX_AVERAGE}-day average, than today.`,
    bands: describeBandsUpward(METRIC_BANDS),
  },
  sectors: {
    name: 'Sector Strength',
    text: `Sector Strength shows how broadly the stocks of an industry rise, as a score out of ${SECTOR_TOTAL}. It is the average of three percentages of the sector’s stocks: those above the average of their last ${FAST_AVERAGE} closes, those above the average of their last ${SLOW_AVERAGE}, and those that gained more than the S&P 500 over ${RETURN_SESSIONS} trading days. The Market Signal uses the mean of the sectors.`,
    bands: describeBandsUpward(SECTOR_BANDS),
  },
  breadth: {
    name: 'Market Breadth',
    text: `Market Breadth counts the stocks that rose, fell or stayed unchanged since the previous close. It uses ${EXCHANGE} counts if available, otherwise the stocks followed. The Market Signal uses the percentage of rising stocks.`,
  },
  advanceDecline: {
    name: 'Advance/decline ratio',
    text: 'The advance/decline ratio shows whether more stocks rise or fall. It is the number of advancing stocks divided by the number of declining ones, or by 1 if none declines. Both numbers are the counts of Market Breadth.',
    bands: `Over ${GREEN_ABOVE} more advancing, under ${GREEN_ABOVE} more declining.`,
  },
} satisfies Record<string, Explanation>;
