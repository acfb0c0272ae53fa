-- What a slot costs: the three triggers that nearly each of them meets are only called for a writer who leaves the work
-- to them. Statements that see thousands of rows do it themselves, which is cheaper by a microsecond a row and trigger.

-- A writer who says in which transaction the row was changed has done what the trigger is for.
drop trigger execution_changed on twinbell.execution;
create trigger execution_changed before update on twinbell.execution
  for each row when (new.changed = old.changed) execute function twinbell.mark_changed();

-- So has one who stamps the end of a task that finishes, and nobody else may leave a stamp behind.
drop trigger task_state_finish on twinbell.task_state;
create trigger task_state_finish before update of state on twinbell.task_state
  for each row when (old.state is distinct from new.state and (new.state = 'FINISHED') = (new.finished_at is null))
  execute function twinbell.note_the_finish();

-- The milliseconds of an instant, those that have begun: what is finer is cut off, as the nodes do, so that what they reckon
-- from an end is reckoned from the end that is told. Written so that the planner takes the text in place of a call, which it
-- does not while anything in it depends on the session's time zone: a call took two microseconds a row, most of what reading
-- the heap cost.
create or replace function twinbell.millis(instant timestamptz) returns bigint
  language sql immutable parallel safe
  as $$ select (date_part('epoch', date_trunc('milliseconds', instant at time zone 'UTC')) * 1000)::bigint $$;
