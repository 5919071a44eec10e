/** The backend set at build time, if any. */
export const builtInBackend = {
  url: import.meta.env.VITE_SUPABASE_URL,
  anonKey: import.meta.env.VITE_SUPABASE_ANON_KEY,
};

/** All that the build was told of its page. */
export const builtIn = {
  ...builtInBackend,
  widgetSymbols: import.meta.env.VITE_WIDGET_SYMBOLS,
  asksToConfirm: import.meta.env.VITE_SUBSCRIBE_CONFIRM,
};
