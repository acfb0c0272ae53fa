-- A limit that cannot be read would keep the master from reading all others. The bounds are those of the API. NOT VALID:
-- an earlier row by hand must not stop the migration.
alter table twinbell.run_limit add constraint run_limit_bounds_check check (
  max_running <= 100000 and rate_max <= 100000
  and rate_per between interval '100 milliseconds' and interval '1 day') not valid;
