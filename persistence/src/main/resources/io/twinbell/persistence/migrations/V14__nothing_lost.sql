-- Slots that got lost where a row of many met one of its slots in the ledger, or where somebody moved a fire time ahead.

-- If the first slot has a row already, the others are entered from the second on.
alter table twinbell.passed_slots add column second_fire_time timestamptz(3);

-- Somebody moved a task's next fire time ahead. The slots of its schedule in between are owed until they have passed or the
-- task is moved again: then the master enters them. The definition is kept, since the task may be another by then, or gone.
create table twinbell.leap (
  id         bigint generated always as identity primary key,
  task_id    bigint not null,
  app        text not null,
  name       text not null,
  definition jsonb not null,
  -- Both excluded.
  after_time timestamptz(3) not null,
  until_time timestamptz(3) not null
);
create index leap_of_task on twinbell.leap (task_id);
create index leap_end on twinbell.leap (until_time);

create or replace function twinbell.remember_removed_tasks() returns trigger
  language plpgsql
as $$
begin
  insert into twinbell.removed_task (task_id, app, name) select id, app, name from removed on conflict do nothing;
  update twinbell.leap l set until_time = clock_timestamp() from removed r
  where l.task_id = r.id and l.until_time > clock_timestamp();
  return null;
end $$;


-- Versions are counted around, and stay what every JSON reader can keep: one written by hand must not stop edits.
create function twinbell.next_version(version bigint) returns bigint
  language sql immutable parallel safe
  as $$ select version % 9007199254740991 + 1 $$;

update twinbell.task_state set version = 1 where version not between 1 and 9007199254740991;
alter table twinbell.task_state add check (version between 1 and 9007199254740991);

create or replace function twinbell.written_by_hand() returns trigger
  language plpgsql
as $$
begin
  update twinbell.task_state set version = twinbell.next_version(version), priority = twinbell.priority(new.definition) where task_id = new.id;
  perform pg_notify('twinbell_task', new.id::text);
  return null;
end $$;
