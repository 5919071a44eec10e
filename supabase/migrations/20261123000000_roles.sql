-- The two roles that every hosted project has; created here if they are missing. anon: anyone with the public key.
-- service_role: the operator's own programs.
do $$
declare
  name text;
  can_take_on boolean;
begin
  foreach name in array array['anon', 'service_role'] loop
    if not exists (select from pg_roles where rolname = name) then
      execute format('create role %I nologin noinherit', name);
    end if;
    -- The owner switches to these roles in transactions. An owner who is not a superuser must be a member of them.
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
