-- A replaced function loses its settings. These are the ones that V29 gives the functions that applications call.
do $$
declare
  entry regprocedure;
  setting text;
begin
  for entry in select p.oid::regprocedure from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = 'twinbell' and p.proname in ('add_task', 'add_tasks', 'remove_task', 'complete_sql_task') loop
    foreach setting in array array['standard_conforming_strings = on', 'array_nulls = on', 'transform_null_equals = off',
        'quote_all_identifiers = off', 'IntervalStyle = postgres', 'DateStyle = ISO', 'bytea_output = hex',
        'gin_fuzzy_search_limit = 0'] loop
      execute format('alter function %s set %s', entry, setting);
    end loop;
  end loop;
end $$;
