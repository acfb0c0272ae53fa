-- The same settings that add_task has: applications call these functions in sessions of their own, too.
do $$
declare
  entry regprocedure;
  setting text;
begin
  for entry in select p.oid::regprocedure from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = 'twinbell' and p.proname in ('list_executions', 'rerun_execution', 'rerun_executions') loop
    foreach setting in array array['standard_conforming_strings = on', 'array_nulls = on', 'transform_null_equals = off',
        'quote_all_identifiers = off', 'IntervalStyle = postgres', 'DateStyle = ISO', 'bytea_output = hex',
        'gin_fuzzy_search_limit = 0', 'extra_float_digits = 1'] loop
      execute format('alter function %s set %s', entry, setting);
    end loop;
  end loop;
end $$;
