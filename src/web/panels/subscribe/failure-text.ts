/** The form's message when subscribing threw `error`. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return 'Something went wrong';
  return error.message || 'Failed to subscribe. Please try again.';
}
