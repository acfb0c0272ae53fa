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


-- What a history is verified by.

-- Who put the row there, if it was not the schedule.
alter table twinbell.execution add column origin text check (origin in ('TRIGGERED', 'CHAINED'));

-- Since when the task fires as it does now: an edit of its timing writes when it came, and the first fire time that it
-- promised. Slots before that were owed by another definition, which nobody has kept.
alter table twinbell.task_state
  add column planned_at timestamptz not null default clock_timestamp(),
  add column planned_from timestamptz;

-- Every epoch and the instant from which claims under it are possible, written with the promotion itself: the role
-- history is told later, and not by a node that dies in between.
create table twinbell.epoch_opening (
  epoch     bigint primary key,
  node      text,
  opened_at timestamptz not null
);
insert into twinbell.epoch_opening select epoch, node, opened_at from twinbell.epoch where opened_at is not null;

create function twinbell.remember_epoch() returns trigger
  language plpgsql
as $$
begin
  insert into twinbell.epoch_opening (epoch, node, opened_at) values (new.epoch, new.node, new.opened_at)
  on conflict do nothing;
  return null;
end $$;
create trigger epoch_opened after update of epoch on twinbell.epoch
  for each row when (new.epoch <> old.epoch) execute function twinbell.remember_epoch();


-- The order of changes. A transaction's number tells nothing about when it commits, but none below the oldest that is
-- still open can come any more: whoever reads up to there misses nothing. A trigger, because every writer must do it.
alter table twinbell.execution add column changed xid8 not null default pg_current_xact_id();
create index execution_changed on twinbell.execution (changed);

create function twinbell.mark_changed() returns trigger
  language plpgsql
as $$
begin
  new.changed := pg_current_xact_id();
  return new;
end $$;
create trigger execution_changed before update on twinbell.execution
  for each row execute function twinbell.mark_changed();


-- Only the master settles, so whoever wants a stuck execution let go of leaves the wish here.
create table twinbell.release_request (
  task_id      bigint not null,
  fire_time    timestamptz not null,
  reason       text not null,
  requested_at timestamptz not null default clock_timestamp(),
  primary key (task_id, fire_time)
);
