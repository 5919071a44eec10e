/**
 * The version of the signal's formula: its weights, thresholds, shares, clamps and roundings. It is kept with every signal that
 * is issued, so it changes whenever one of them does.
 */
export const SIGNAL_FORMULA = '2';
