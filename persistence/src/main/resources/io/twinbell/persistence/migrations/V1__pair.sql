-- The pair's whole state. Times are timestamptz in whole milliseconds; every "now" is this database's clock.

create function twinbell.instant(millis bigint) returns timestamptz
  language sql immutable parallel safe
  as $$ select to_timestamp(millis / 1000.0::float8) $$;

create function twinbell.millis(instant timestamptz) returns bigint
  language sql immutable parallel safe
  as $$ select (extract(epoch from instant) * 1000)::bigint $$;

-- clock_timestamp() and not now(): a transaction that waited must not read the time at which it began.
create function twinbell.now_millis() returns bigint
  language sql volatile
  as $$ select floor(extract(epoch from clock_timestamp()) * 1000)::bigint $$;


-- Who this database belongs to. The same id is kept in ZooKeeper: a node that finds them different refuses to run.
create table twinbell.cluster (
  id                smallint primary key default 1 check (id = 1),
  cluster_id        uuid not null default gen_random_uuid(),
  name              text,
  system_identifier text,
  created_at        timestamptz not null default clock_timestamp()
);
insert into twinbell.cluster default values;


-- The authority. One row: whoever holds its epoch and owner token may write; everybody else changes nothing.
-- Heartbeats have a row of their own, because every guarded write takes a share lock on this one.
create table twinbell.epoch (
  id             smallint primary key default 1 check (id = 1),
  epoch          bigint not null default 0,
  owner_token    uuid,
  node           text,
  incarnation    uuid,
  zk_session     bigint,
  zk_czxid       bigint,
  opened_at      timestamptz,
  reason         text,
  resigned_at    timestamptz,
  -- A master that handed over may still record what it is finishing, until then.
  draining_epoch bigint,
  draining_token uuid,
  draining_until timestamptz
) with (fillfactor = 50);
insert into twinbell.epoch default values;

create table twinbell.heartbeat (
  id      smallint primary key default 1 check (id = 1),
  epoch   bigint not null default 0,
  beat_at timestamptz not null default '-infinity'
) with (fillfactor = 50);
insert into twinbell.heartbeat default values;

create table twinbell.hand_over_request (
  id           bigint generated always as identity primary key,
  epoch        bigint not null,
  requested_by text not null,
  reason       text not null,
  requested_at timestamptz not null default clock_timestamp()
);

create table twinbell.role_history (
  id          bigint generated always as identity primary key,
  at          timestamptz not null default clock_timestamp(),
  node        text not null,
  incarnation uuid not null,
  epoch       bigint not null,
  from_role   text not null,
  to_role     text not null,
  reason      text not null,
  took_millis bigint not null,
  steps       jsonb not null default '[]'
);

-- Firing held for the whole cluster. A window that is still open has no end.
create table twinbell.firing_pause (
  id         bigint generated always as identity primary key,
  paused_at  timestamptz not null default clock_timestamp(),
  resumed_at timestamptz,
  reason     text not null,
  paused_by  text not null
);
create unique index firing_pause_open on twinbell.firing_pause ((resumed_at is null)) where resumed_at is null;


-- What to do, when, and how to treat trouble: written by people, read by the master.
create table twinbell.task (
  id           bigint generated always as identity primary key,
  app          text not null check (length(app) between 1 and 200),
  name         text not null check (length(name) between 1 and 200),
  owner        text check (length(owner) <= 200),
  tags         text[] not null default '{}',
  handler_type text not null,
  handler_key  text,
  -- The API bounds the payload at 64 KiB; escaped, that may be six times as much. This is the bound on everything.
  definition   jsonb not null check (octet_length(definition::text) <= 1048576),
  created_at   timestamptz not null default clock_timestamp(),
  updated_at   timestamptz not null default clock_timestamp(),
  unique (app, name)
);
create index task_tags on twinbell.task using gin (tags);

-- The part of a task that firing changes, apart from the wide definition, so that an advance rewrites
-- a narrow row in a table with two small indexes.
create table twinbell.task_state (
  task_id            bigint primary key references twinbell.task on delete cascade,
  version            bigint not null default 1,
  state              text not null default 'ACTIVE' check (state in ('ACTIVE', 'PAUSED', 'FINISHED', 'ERROR')),
  state_reason       text,
  next_fire_time     timestamptz,
  previous_fire_time timestamptz
) with (fillfactor = 70);
-- The heap is read from here, soonest first. A task that is not ACTIVE, or waits for the end of its run, has no entry.
create index task_state_due on twinbell.task_state (next_fire_time, task_id)
  where state = 'ACTIVE' and next_fire_time is not null;
-- Tasks that wait for the end of their run. One that has none is found here and set going again.
create index task_state_waiting on twinbell.task_state (task_id)
  where state = 'ACTIVE' and next_fire_time is null;


-- Whoever edits a definition by hand raises no version, and the master would go on by what it has compiled. The API sets
-- updated_at with every edit; what leaves it alone was written past the API, and is made to count as an edit here.
create function twinbell.written_by_hand() returns trigger
  language plpgsql
as $$
begin
  update twinbell.task_state set version = version + 1 where task_id = new.id;
  perform pg_notify('twinbell_task', new.id::text);
  return null;
end $$;
create trigger written_by_hand after update of definition on twinbell.task for each row
  when (old.definition is distinct from new.definition and old.updated_at = new.updated_at)
  execute function twinbell.written_by_hand();


-- The ledger: one row for every planned fire, and what became of it. The slot (task_id, fire_time) is its identity;
-- a row that stands for many slots says until when and how many. It survives its task.
create table twinbell.execution (
  task_id         bigint not null,
  fire_time       timestamptz not null,
  app             text not null,
  name            text not null,
  state           text not null check (state in ('PENDING', 'CLAIMED', 'RUNNING', 'RETRYING', 'SUCCEEDED', 'FAILED',
                                                 'TIMED_OUT', 'CANCELLED', 'SKIPPED', 'MISSED', 'DROPPED')),
  attempt         integer not null default 1,
  epoch           bigint,
  node            text,
  batch           bigint,
  claimed_at      timestamptz,
  started_at      timestamptz,
  ended_at        timestamptz,
  until_fire_time timestamptz,
  slots           bigint not null default 1,
  output          text,
  error           text,
  reason          text,
  note            text,
  primary key (task_id, fire_time)
) partition by range (fire_time);

create table twinbell.execution_default partition of twinbell.execution default;

create index execution_by_time on twinbell.execution (fire_time, task_id);
create index execution_pending on twinbell.execution (fire_time, task_id) where state = 'PENDING';
create index execution_unfinished on twinbell.execution (task_id, fire_time)
  where state in ('CLAIMED', 'RUNNING', 'RETRYING');

-- Makes the partition of one UTC day. Rows of that day that had to go to the default partition move over.
create function twinbell.ensure_partition(day date) returns boolean
  language plpgsql
as $$
declare
  partition text := 'execution_' || to_char(day, 'YYYYMMDD');
  from_time timestamptz := day::timestamp at time zone 'UTC';
  until_time timestamptz := (day + 1)::timestamp at time zone 'UTC';
begin
  if to_regclass('twinbell.' || partition) is not null then
    return false;
  end if;
  execute format('create table twinbell.%I (like twinbell.execution including defaults including constraints)', partition);
  execute format(
    'with moved as (delete from twinbell.execution_default where fire_time >= %L and fire_time < %L returning *)
     insert into twinbell.%I select * from moved', from_time, until_time, partition);
  execute format('alter table twinbell.execution attach partition twinbell.%I for values from (%L) to (%L)',
    partition, from_time, until_time);
  return true;
end $$;

-- Yesterday to a week ahead: called by the migration, and by every master's heartbeat when the day turns.
create function twinbell.ensure_partitions() returns integer
  language sql
as $$
  select count(*)::int
  from generate_series(-1, 7) as ahead
  where twinbell.ensure_partition(((clock_timestamp() at time zone 'UTC')::date + ahead)::date)
$$;
select twinbell.ensure_partitions();


-- Slots that an edit, a pause or a removal passed over before they were claimed. Only the master writes the ledger's
-- outcomes, so whoever edits leaves the fact here and the master enters it.
create table twinbell.passed_slots (
  id              bigint generated always as identity primary key,
  task_id         bigint not null,
  app             text not null,
  name            text not null,
  fire_time       timestamptz not null,
  until_fire_time timestamptz not null,
  slots           bigint not null check (slots > 0),
  state           text not null check (state in ('SKIPPED', 'MISSED')),
  reason          text not null
);
