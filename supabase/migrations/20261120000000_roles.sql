-- The two roles every hosted project has; made here where they are missing.
-- anon: anybody with the public key. service_role: the operator's own programs.
do $$
declare
  name text;
  can_take_on boolean;
begin
  foreach name in array array['anon', 'service_role'] loop
    if not exists (select from pg_roles where rolname = name) then
      execute format('create role %I nologin noinherit', name);
    end if;
    -- The owner takes these roles on for a transaction; one that is no superuser must be a member for it.
    if current_setting('server_version_num')::int >= 160000 then
      can_take_on := pg_has_role(current_user, name, 'set');
    else
      can_take_on := pg_has_role(current_user, name, 'member');
    end if;
    if not can_take_on then
      execute format('grant %I to %I', name, current_user);
    end if;
  end loop;
end
$$;

grant usage on schema public to anon, service_role;
