/** The word beside a number that is not known. Apart, so that the page has it without the writing of numbers. */
export const NOT_MEASURED = 'Not measured';
