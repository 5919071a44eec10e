-- Hosted projects have one more role, for users who are logged in, and grant it every new table. Barometer has no such users,
-- so the role has no rights.
do $$
begin
  if exists (select from pg_roles where rolname = 'authenticated') then
    revoke all on schema collector, operations, archive, mailer from authenticated;
    revoke all on all tables in schema collector, operations, archive, mailer from authenticated;
    revoke all on all sequences in schema collector, operations, archive, mailer from authenticated;
    revoke all on all routines in schema collector, operations, archive, mailer from authenticated;
    revoke all on
      public.market_indices, public.market_metrics, public.fear_greed_index, public.sector_strength,
      public.advanced_indicators, public.market_sentiment, public.market_breadth, public.input_origins,
      public.market_stocks, public.fear_greed_sessions, public.email_subscribers, public.quality_events, public.publications,
      public.verdict_changes, public.issued_signals, public.signal_grades
      from authenticated;
    revoke all on sequence
      public.market_indices_id_seq, public.market_metrics_id_seq, public.fear_greed_index_id_seq,
      public.sector_strength_id_seq, public.advanced_indicators_id_seq, public.market_sentiment_id_seq,
      public.market_breadth_id_seq, public.input_origins_id_seq, public.market_stocks_id_seq, public.email_subscribers_id_seq,
      public.quality_events_id_seq
      from authenticated;
  end if;
end
$$;
