-- Run once, by Postgres' image with psql, when its volume is empty: the servers' role is no superuser, and owns their database.
-- It may make roles, since the migrations make those of the public.
\getenv password BAROMETER_PASSWORD
create role barometer login createrole password :'password';
create database barometer owner barometer;
