-- Subscribers to the weekly signal. Addresses that differ only in case or surrounding spaces are the same address. An
-- unsubscribed address keeps its old row and may subscribe again, so only active rows are unique. The only surrounding
-- characters are spaces, which btrim removes.
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
