-- A row that cannot be read would stop the loop that reads it, for as long as the row exists. So such rows are refused
-- when they are written. NOT VALID: earlier rows are not checked, because reading a large ledger would block it.

-- Instants have no milliseconds when they are infinite. The busiest tables come last, because each stays locked until
-- the end of the migration.
do $$
declare
  found record;
begin
  for found in
    select c.relname as name, string_agg(format('isfinite(%I)', a.attname), ' and ' order by a.attnum) as condition
      from pg_catalog.pg_class c
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'twinbell'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.atttypid = 'timestamptz'::regtype
       -- A pair that never had a master has a heartbeat of -infinity.
       and (c.relname, a.attname) <> ('heartbeat', 'beat_at')
     group by c.relname
     order by c.relname in ('epoch', 'execution', 'task_state'), c.relname
  loop
    execute format('alter table twinbell.%I add constraint %I check (%s) not valid',
      found.name, found.name || '_finite_check', found.condition);
  end loop;
end $$;

-- The two lists are read as one list of slots. 7258118399999 is the last millisecond of 2199.
alter table twinbell.claim_batch add constraint claim_batch_slots_check check (
  cardinality(task_ids) = cardinality(fire_times)
  and array_position(task_ids, null) is null and array_position(fire_times, null) is null
  and 0 <= all (fire_times) and 7258118399999 >= all (fire_times)) not valid;

alter table twinbell.removal add constraint removal_state_check
  check (state in ('ACTIVE', 'PAUSED', 'FINISHED', 'ERROR')) not valid;

alter table twinbell.alert add constraint alert_object_check check (jsonb_typeof(content) = 'object') not valid;

alter table twinbell.calendar add constraint calendar_object_check check (jsonb_typeof(content) = 'object') not valid;
