-- Postgres' image runs this once with psql, when its volume is empty. The servers' role owns their database and is not
-- a superuser. It may create roles, since the migrations create those of the public.
\getenv password BAROMETER_PASSWORD
create role barometer login createrole password :'password';
create database barometer owner barometer;
