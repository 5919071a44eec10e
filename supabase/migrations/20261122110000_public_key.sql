-- The public key that pages carry and the server asks for, the same in every process on this database: a page that one
-- of them has sent may ask another for its rows. It is no secret; the first server brings it.

create table operations.public_key (
  only_one boolean primary key default true check (only_one),
  key text not null check (key ~ '^sb_publishable_[A-Za-z0-9_-]{32}$')
);

do $$
declare
  everybody text := 'public, anon, service_role';
begin
  if exists (select from pg_roles where rolname = 'authenticated') then
    everybody := everybody || ', authenticated';
  end if;
  execute format('revoke all on operations.public_key from %s', everybody);
end
$$;
