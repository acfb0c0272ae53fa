-- Vacuum and analyze of the tables that every fire changes.

-- To wait for these locks blocks no reader and no writer, and PostgreSQL ends an autovacuum that holds one after a second.
set local lock_timeout = '5s';

-- Plans hardly depend on what these columns contain, but their statistics were most of the work of an analyze. While a snapshot
-- is pinned, every large table is analyzed once a minute. The indexes on members of the definition have statistics of their own.
alter table twinbell.task alter column definition set statistics 0;
alter table twinbell.execution
  alter column output set statistics 0,
  alter column error set statistics 0,
  alter column log set statistics 0,
  alter column attempts set statistics 0,
  alter column parent set statistics 0,
  alter column data set statistics 0,
  alter column checkpoint set statistics 0,
  alter column progress_message set statistics 0;

-- By default a table is vacuumed when a fifth of its rows is dead. If a million tasks wait, these are 200,000 rows of the few
-- that fire, and their entries lie at the start of the index that the claimer reads.
alter table twinbell.task set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
alter table twinbell.task_state set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- As before, but a new partition has the statistics of its columns set like the ledger.
create or replace function twinbell.ensure_partition(day date) returns boolean
  language plpgsql
as $$
declare
  partition text := 'execution_' || to_char(day, 'YYYYMMDD');
  from_time timestamptz := day::timestamp at time zone 'UTC';
  until_time timestamptz := (day + 1)::timestamp at time zone 'UTC';
  settings text;
begin
  if to_regclass('twinbell.' || partition) is not null then
    return false;
  end if;
  execute format('create table twinbell.%I (like twinbell.execution including defaults including constraints)', partition);
  select string_agg(format('alter column %I set statistics 0', attname), ', ') into settings
  from pg_attribute
  where attrelid = 'twinbell.execution'::regclass and attnum > 0 and not attisdropped and attstattarget = 0;
  if settings is not null then
    execute format('alter table twinbell.%I %s', partition, settings);
  end if;
  execute format(
    'with moved as (delete from twinbell.execution_default where fire_time >= %L and fire_time < %L returning *)
     insert into twinbell.%I select * from moved', from_time, until_time, partition);
  execute format('alter table twinbell.execution attach partition twinbell.%I for values from (%L) to (%L)',
    partition, from_time, until_time);
  return true;
end $$;
