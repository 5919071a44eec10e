/** Text with a special meaning in a query string, a list of values, SQL, JSON or a page. */
export const ODD_TEXTS = [
  'plain',
  'two words',
  ' lead and trail ',
  'comma, here',
  '"quoted"',
  'half " quoted',
  '(in parentheses)',
  'closing)',
  'back\\slash',
  'end\\',
  'a.b.c',
  'null',
  'true',
  'not.eq.1',
  '100 %',
  '%41',
  'A+B',
  'a;b',
  'a&b=c#d?e/f',
  "O'Hara",
  "'; drop table market_indices; --",
  '$1',
  '{a,"b"}',
  '*',
  'S&P 500®',
  'Rüssell çödé',
  '日経平均株価',
  '😀 up',
  'tab\there',
  'line\nbreak',
  'line\u2028separator',
  '</script><b>',
  'e\u0301 and é',
  '\u202eright to left',
] as const;

const texts = ODD_TEXTS.map((text) => `U&'${escapedForSql(text)}'`).join(', ');

/** A text as the inside of a `U&'…'` literal, in ASCII only. */
function escapedForSql(text: string): string {
  return [...text]
    .map((character) => {
      const code = character.codePointAt(0) ?? 0;
      return /[ -&(-[\]-~]/.test(character) ? character : `\\+${code.toString(16).padStart(6, '0')}`;
    })
    .join('');
}

/**
 * Rows of every market table: odd texts, extreme numbers, some nulls, times with microseconds. The Fear & Greed index
 * has more rows than fit into one response.
 */
export const ODD_ROWS = `
  insert into market_indices (symbol, name, price, change, change_percent, source, created_at)
    select 'I' || i, text, (array[6000.5, 1e-7, 1.7976931348623157e308, 0.1, 2e20, 1e15, 123456789012345678])[i % 7 + 1],
      (array[null, -1e-7, 0, '-0', 0.30000000000000004, 1e-320, -1.7976931348623157e308])[i % 7 + 1]::float8,
      case when i % 3 > 0 then i / 3.0 end,
      (array[null, 'csv', 'live', 'simulated', 'replay'])[i % 5 + 1],
      timestamptz '2026-11-13T21:00:00.123456Z' - (i / 3) * interval '1 day'
    from unnest(array[${texts}]) with ordinality as of (text, i);
  insert into fear_greed_index (index_value, index_label, market_momentum, put_call_options, earlier_components, source, created_at)
    select (i * 37 % 1000) / 10.0, (array['Extreme Fear', 'Fear', 'Neutral', 'Greed', 'Extreme Greed'])[i % 5 + 1],
      i / 7.0 / 200 * 100, case when i % 4 > 0 then i % 101 end, (array[null, 'junk_bond_demand', 'put_call_options,junk_bond_demand'])[i % 3 + 1],
      (array['csv', 'live'])[i % 2 + 1], timestamptz '2026-11-13T21:00:00Z' - i * interval '1 hour'
    from generate_series(0, 1199) as i;
  insert into market_breadth (advancing_stocks, declining_stocks, unchanged_stocks, universe, created_at)
    select i * 10, 2147483647 - i, case when i % 2 > 0 then 0 end, text, timestamptz '2026-11-13T21:00:00Z' - i * interval '1 day'
    from unnest(array[${texts}]) with ordinality as of (text, i);
  insert into sector_strength (sector, strength, created_at)
    select text, case when i % 5 > 0 then i * 2.5 end, timestamptz '2026-11-13T21:00:00Z' - (i / 11) * interval '1 week'
    from unnest(array[${texts}]) with ordinality as of (text, i);
  insert into market_sentiment (timeframe, signal, score, description, rsi, macd, moving_avg_trend, created_at)
    select (array['short', 'medium', 'long'])[i % 3 + 1], (array['Bullish', 'Neutral', null])[i % 3 + 1], i * 2, text,
      33.333333333333336, -i / 9.0, case when i % 2 > 0 then text end, timestamptz '2026-11-13T21:00:00Z' - (i / 3) * interval '1 day'
    from unnest(array[${texts}]) with ordinality as of (text, i);
  insert into advanced_indicators (vix, vix_change, put_call_ratio, high_low_universe, mcclellan_oscillator, tick_index, source, created_at)
    select i + 0.25, -0.30000000000000004 * i, case when i % 3 > 0 then i / 30.0 end, text, 100.0 / i, null, 'live',
      timestamptz '2026-11-13T21:00:00Z' - i * interval '1 day'
    from unnest(array[${texts}]) with ordinality as of (text, i);
  insert into market_metrics (market_exposure, overall_strength, source, created_at)
    select case when i % 4 > 0 then i end, 100 - i, 'csv', timestamptz '2026-11-13T21:00:00Z' - i * interval '1 day'
    from generate_series(1, 40) as i;
  insert into input_origins (input, provider, session, observed_at, fetched_at, source, created_at)
    select text, case when i % 3 > 0 then 'cboe' end, case when i % 4 > 0 then date '2026-11-13' - i::int end,
      case when i % 2 > 0 then timestamptz '2026-11-13T21:00:00Z' - i * interval '1 second' end,
      timestamptz '2026-11-13T21:31:04.5Z', 'live', timestamptz '2026-11-13T21:00:00Z' - (i / 12) * interval '1 day'
    from unnest(array[${texts}]) with ordinality as of (text, i);
  insert into mailer.issued_signals (week, status, reason, decided_at, session, source, verdict, score, range_low, sp500_close,
      formula_version, weights, inputs, created_at)
    select date '2025-01-06' + 7 * i::int, case when i % 4 = 0 then 'withheld' else 'issued' end, case when i % 4 = 0 then text end,
      timestamptz '2025-01-11T14:00:00.123456Z' + i * interval '7 days', date '2025-01-10' + 7 * i::int,
      (array['live', 'csv', 'simulated'])[i % 3 + 1], (array['BUY', 'HOLD', 'SELL'])[i % 3 + 1], i * 1.5, i / 7.0, 6000 + i / 3.0,
      '2', '{}', '{}', '2026-11-13T21:00:00Z'
    from unnest(array[${texts}]) with ordinality as of (text, i);
  insert into mailer.grades (week, horizon_weeks, rule, entry_session, entry_close, exit_session, exit_close, change_percent, status,
      reason, graded_at)
    select week, 4, 'g2', week + 7, 6000, week + 35, 6000 + id, case when id % 5 > 0 then id / 60.0 end,
      case when id % 5 > 0 then 'graded' else 'void' end, case when id % 5 = 0 then 'A close is missing.' end, '2026-11-13T21:00:00Z'
    from mailer.issued_signals;
  insert into archive.publications (created_at_batch, session, kind, published_at, source, origin, formula_version, rows, sha256)
    select timestamptz '2026-11-13T21:00:00Z' - i * interval '1 day', date '2026-11-13' - i,
      (array['close', 'final'])[i % 2 + 1], timestamptz '2026-11-13T21:31:04.123456Z' - i * interval '1 day',
      (array['live', 'csv', null])[i % 3 + 1], (array['live', 'rebuilt'])[i % 2 + 1], case when i % 4 > 0 then '2' end, '{}', sha256('{}')
    from generate_series(40, 1, -1) as i;
  insert into quality_events (at, session, kind, input, provider, detail, before, after, event_key)
    select timestamptz '2026-11-13T21:31:04.123456Z' - i * interval '1 hour', case when i % 3 > 0 then date '2026-11-13' - i::int end,
      (array['missing', 'late', 'completed', 'corrected'])[i % 4 + 1], left(text, 100), case when i % 2 > 0 then 'cboe' end,
      left(text, 100), '1', case when i % 5 > 0 then '2' end, 'key ' || i
    from unnest(array[${texts}]) with ordinality as of (text, i) order by i desc;
  insert into archive.verdict_changes (id, session, at, from_verdict, to_verdict, score, source, formula_version, follows)
    overriding system value
    select i, date '2026-01-05' + 7 * i, timestamptz '2026-01-05T21:31:04.123456Z' + i * interval '7 days',
      case when i > 1 then (array['BUY', 'HOLD', 'SELL'])[(i - 1) % 3 + 1] end, (array['BUY', 'HOLD', 'SELL'])[i % 3 + 1],
      i / 7.0, (array['live', 'csv'])[i % 2 + 1], '2', nullif(i - 1, 0)
    from generate_series(1, 40) as i;
  analyze;`;
