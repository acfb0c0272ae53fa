-- A run by hand may have data of its own, which takes the place of the task's data.
alter table twinbell.execution add column data jsonb;

create function twinbell.run_definition(definition jsonb, parent jsonb, data jsonb) returns jsonb
  language sql immutable parallel safe
as $$
  select twinbell.with_parent(case when data is null then definition else jsonb_set(definition, '{data}', data) end, parent)
$$;

-- BACKFILLED: a slot of the schedule that nobody owed, entered by hand. Present rows satisfy the stricter check.
alter table twinbell.execution drop constraint execution_origin_check;
alter table twinbell.execution add constraint execution_origin_check
  check (origin in ('TRIGGERED', 'CHAINED', 'BACKFILLED')) not valid;
