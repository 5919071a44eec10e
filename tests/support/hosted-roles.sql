-- Roles of a hosted Supabase project before our migrations, as supabase/postgres creates them: a separate superuser,
-- the owner `postgres`, which is not a superuser, and the roles of the data API. These roles get rights on each new object in `public`.
create role postgres login nosuperuser createdb createrole replication bypassrls;
create role anon nologin;
create role authenticated nologin;
create role service_role nologin bypassrls;
create role authenticator login noinherit;
create role supabase_auth_admin nologin noinherit createrole;
grant anon, authenticated, service_role, supabase_admin to authenticator;
do $$
begin
  if current_setting('server_version_num')::int >= 160000 then
    grant anon, authenticated, service_role to postgres with admin option;
  else
    grant anon, authenticated, service_role to postgres;
  end if;
end
$$;

alter role postgres set search_path to "$user", public, extensions;
alter role anon set statement_timeout = '3s';
alter role authenticated set statement_timeout = '8s';
alter role authenticator set statement_timeout = '8s';
alter role authenticator set lock_timeout = '8s';
alter database postgres owner to postgres;

create schema extensions;
create extension pgcrypto with schema extensions;
create extension "uuid-ossp" with schema extensions;
grant usage on schema extensions to postgres, anon, authenticated, service_role;
grant all on all functions in schema extensions to postgres;

create schema auth authorization supabase_auth_admin;
grant usage on schema auth to postgres, anon, authenticated, service_role;
create table auth.users (id uuid primary key, email text, encrypted_password text);
alter table auth.users owner to supabase_auth_admin;

grant usage on schema public to postgres, anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on sequences to postgres, anon, authenticated, service_role;
