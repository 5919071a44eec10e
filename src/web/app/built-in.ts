/** The backend set at build time, if any. */
export const builtInBackend = {
  url: import.meta.env.VITE_SUPABASE_URL,
  anonKey: import.meta.env.VITE_SUPABASE_ANON_KEY,
};

/** The page's settings from build time. */
export const builtIn = {
  widgetSymbols: import.meta.env.VITE_WIDGET_SYMBOLS,
  asksToConfirm: import.meta.env.VITE_SUBSCRIBE_CONFIRM,
};
