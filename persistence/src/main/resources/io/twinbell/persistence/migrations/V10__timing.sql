-- What a task's timing needs beside its next fire time.
alter table twinbell.task_state
  -- Slots that were claimed to run, counted by the claim itself: maxRuns is measured by it.
  add column runs         bigint not null default 0,
  -- The next fire time stands though the schedule may not have it: somebody named it, or an edit kept what was owed.
  add column off_schedule boolean not null default false,
  add column finished_at  timestamptz;

-- Whoever writes here by hand: what the node cannot read as milliseconds would stop every task and not only this one.
alter table twinbell.task_state
  alter column next_fire_time type timestamptz(3),
  alter column previous_fire_time type timestamptz(3),
  add check (next_fire_time between '1970-01-01T00:00:00Z' and '2199-12-31T23:59:59.999Z'),
  add check (previous_fire_time between '1970-01-01T00:00:00Z' and '2199-12-31T23:59:59.999Z');

-- Claims, ends of runs and edits finish tasks; the instant is noted in one place for all of them.
create function twinbell.note_the_finish() returns trigger
  language plpgsql
as $$
begin
  new.finished_at := case when new.state = 'FINISHED' then clock_timestamp() end;
  return new;
end $$;
create trigger task_state_finish before update of state on twinbell.task_state
  for each row when (old.state is distinct from new.state) execute function twinbell.note_the_finish();

update twinbell.task_state set finished_at = clock_timestamp() where state = 'FINISHED';
create index task_state_finished on twinbell.task_state (finished_at) where state = 'FINISHED';
