-- The ledger as people query and trust it.

-- Which tasks there were: the ledger outlives them and is asked for by app and name. An index of the ledger on these
-- would cost every fire; this costs a removal.
create table twinbell.removed_task (
  task_id    bigint primary key,
  app        text not null,
  name       text not null,
  removed_at timestamptz not null default clock_timestamp()
);
create index removed_task_by_name on twinbell.removed_task (app, name);

create function twinbell.remember_removed_tasks() returns trigger
  language plpgsql
as $$
begin
  insert into twinbell.removed_task (task_id, app, name) select id, app, name from removed on conflict do nothing;
  return null;
end $$;
create trigger task_removed after delete on twinbell.task
  referencing old table as removed for each statement execute function twinbell.remember_removed_tasks();

-- What went wrong is asked for most and is rare: found without reading what went well.
create index execution_trouble on twinbell.execution (fire_time, task_id)
  where state in ('FAILED', 'TIMED_OUT', 'CANCELLED', 'MISSED', 'DROPPED');


-- Up to where the ledger may lack rows because they were dropped by the day, or deleted by the outcome.
create table twinbell.forgotten (
  what            text primary key check (what in ('DAYS', 'SUCCEEDED', 'FAILED', 'SKIPPED')),
  until_fire_time timestamptz not null
);
