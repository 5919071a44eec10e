-- The public key that pages contain and the server requires. It is the same in every process on this database, because
-- a page from one of them may read from another. It is not a secret; the first server stores it.

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
