-- A cancellation that comes too late changes nothing: the task stays, so that its retries go on and a crash of the node can
-- run it again. Before, it removed the task all the same, and an application that trusted the answer lost the run.
create or replace function twinbell.cancel_task(app text, name text) returns boolean
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  found_task record;
begin
  -- The task's row first, as whoever edits does.
  select t.id into found_task from twinbell.task t
  where t.app = cancel_task.app and t.name = cancel_task.name for update;
  if not found then
    return false;
  end if;
  -- A task that is claimed for the last time is FINISHED. If it was replaced after that, it fires again.
  select s.task_id as id, s.state <> 'FINISHED' or exists (select from twinbell.arrival a where a.task_id = s.task_id) as fires
  into found_task from twinbell.task_state s where s.task_id = found_task.id for update;
  return found_task.fires and twinbell.remove_task(found_task.id);
end $$;

-- A replacement of a function loses its settings.
do $$
declare
  setting text;
begin
  foreach setting in array array['standard_conforming_strings = on', 'array_nulls = on', 'transform_null_equals = off',
      'quote_all_identifiers = off', 'IntervalStyle = postgres', 'DateStyle = ISO', 'bytea_output = hex',
      'gin_fuzzy_search_limit = 0', 'extra_float_digits = 1'] loop
    execute format('alter function twinbell.cancel_task(text, text) set %s', setting);
  end loop;
end $$;
