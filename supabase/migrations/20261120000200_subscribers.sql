-- Who gets the weekly signal. An address is the same address whatever its case and surrounding space; one
-- that has left keeps its old row and may come back, so only active rows are unique. Around it stand spaces
-- only, which is what btrim takes off.
create table public.email_subscribers (
  id bigint generated always as identity primary key,
  email text not null
    check (char_length(email) <= 320 and email ~ '^ *[^\s@]+@[^\s@]+\.[^\s@]+ *$' and email !~ '[[:cntrl:]]'),
  is_active boolean not null default true,
  created_at timestamptz not null default now()
);

create unique index email_subscribers_active_address
  on public.email_subscribers (lower(btrim(email))) where is_active;
create index email_subscribers_created_at on public.email_subscribers (created_at desc);
