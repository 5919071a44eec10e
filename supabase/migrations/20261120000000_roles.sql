-- The two roles every hosted project has; made here where they are missing.
-- anon: anybody with the public key. service_role: the operator's own programs.
do $$
begin
  if not exists (select from pg_roles where rolname = 'anon') then
    create role anon nologin noinherit;
  end if;
  if not exists (select from pg_roles where rolname = 'service_role') then
    create role service_role nologin noinherit;
  end if;
end
$$;

grant usage on schema public to anon, service_role;
