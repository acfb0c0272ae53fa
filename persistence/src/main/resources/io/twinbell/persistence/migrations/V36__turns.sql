-- Rows that wait, by app, so that apps take turns where more rows wait than can be claimed. An index on the whole ledger
-- would keep the master from writing while it is built. So only small partitions get it, today's and later ones: 64 MiB
-- are indexed within a fraction of a second. New partitions get it when they are created. Without it, turns still work:
-- they read the other waiting rows of that day.
create index execution_waiting_of_app on only twinbell.execution (app, (coalesce(due_at, fire_time)), task_id)
  where state in ('PENDING', 'RETRYING') and held_by is null;

do $$
declare
  part text;
begin
  for part in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'twinbell.execution'::regclass
      and (c.relname = 'execution_default'
        or c.relname >= 'execution_' || to_char(clock_timestamp() at time zone 'UTC', 'YYYYMMDD'))
      and pg_relation_size(c.oid) < 64 * 1024 * 1024
  loop
    execute format('create index %I on twinbell.%I (app, (coalesce(due_at, fire_time)), task_id)
      where state in (''PENDING'', ''RETRYING'') and held_by is null', part || '_waiting_of_app', part);
    execute format('alter index twinbell.execution_waiting_of_app attach partition twinbell.%I', part || '_waiting_of_app');
  end loop;
end $$;
