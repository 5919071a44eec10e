/** The word beside an unknown number. In its own file, so that the first script does not import number formatting. */
export const NOT_MEASURED = 'Not measured';
