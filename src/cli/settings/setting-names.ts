/** Every setting of Barometer. `.env.example` says what each does. */
export const SETTING_NAMES: readonly string[] = [
  'HOST',
  'PORT',
  'PUBLIC_URL',
  'TRUSTED_PROXIES',
  'RATE_PER_SECOND',
  'PRODUCT_NAME',
  'BAROMETER_DATA_DIR',
  'DATABASE_URL',
  'DRAIN_SECONDS',
  'WIDGET_SYMBOLS',
  'VITE_WIDGET_SYMBOLS',
  'MARKET_SOURCE',
  'MARKET_CSV_DIR',
  'ALPACA_KEY_ID',
  'ALPACA_SECRET_KEY',
  'FRED_API_KEY',
  'MARKET_PROVIDERS',
  'MARKET_UNIVERSE',
  'ALPACA_URL',
  'YAHOO_URL',
  'CBOE_URL',
  'FRED_URL',
  'WSJ_URL',
  'SMTP_URL',
  'MAIL_FROM',
  'MAIL_POSTAL_ADDRESS',
  'MAIL_PER_SECOND',
  'SIGNAL_AT',
  'SUBSCRIBE_CONFIRM',
  'VITE_SUBSCRIBE_CONFIRM',
  'METRICS_TOKEN',
  'VITE_SUPABASE_URL',
  'VITE_SUPABASE_ANON_KEY',
  'VITE_ANALYTICS',
];

/** Names that Node.js, Postgres' client library and the system read themselves. */
const OF_OTHERS = /^(PG[A-Z]+|NODE_[A-Z_]+|TZ|DEBUG)$/;

/** A sentence for each name in `.env` that is no setting. */
export function unknownSettings(names: readonly string[]): string[] {
  return names
    .filter((name) => !SETTING_NAMES.includes(name) && !OF_OTHERS.test(name))
    .map(
      (name) =>
        `.env sets ${name}, which is no setting of Barometer and has no effect; .env.example lists all.`,
    );
}
