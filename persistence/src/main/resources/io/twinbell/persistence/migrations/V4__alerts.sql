-- Alerts: who wants to be told of what, and what became of telling it.
--
-- Triggers enter an event for each alert that wants it, in the transaction that records its cause, so that no death
-- comes in between. The master gathers the events of an alert in a delivery, and calls the webhook. No table has a
-- foreign key to an alert: recording an outcome waits for nobody's edit, and the master deletes what belongs to no
-- alert.

create table twinbell.alert (
  name        text primary key check (length(name) between 1 and 200),
  version     bigint not null default 1,
  content     jsonb not null check (octet_length(content::text) <= 1048576),
  -- Which events are for it, taken out of the content: the raising looks at nothing else. An alert that is off wants
  -- none.
  events      text[] not null,
  -- Whose events: those of tasks that have all of these, where they are not null.
  app         text,
  task        text,
  tag         text,
  owner       text,
  -- Limits FAILED to these codes. A code with * at its end stands for all that begin so. Null means all.
  error_codes text[],
  created_at  timestamptz not null default clock_timestamp(),
  updated_at  timestamptz not null default clock_timestamp(),
  -- What is no object would stop whoever reads it.
  constraint alert_object_check check (jsonb_typeof(content) = 'object'),
  constraint alert_finite_check check (isfinite(created_at) and isfinite(updated_at))
);

-- The calendars that say when an alert is silent. Whoever links one locks its row, as whoever removes it does.
create table twinbell.alert_calendar (
  alert    text not null,
  calendar text not null,
  primary key (alert, calendar)
);

-- What has happened and is in no delivery yet.
create table twinbell.alert_event (
  id      bigint generated always as identity primary key,
  alert   text not null,
  event   text not null,
  at      timestamptz not null default clock_timestamp(),
  -- The key of the condition that it tells of, if it is one that lasts.
  lasting text,
  -- The members of the event as the webhook gets them.
  about   jsonb not null,
  constraint alert_event_finite_check check (isfinite(at))
);
create index alert_event_of on twinbell.alert_event (alert, id);

-- What lasts, for an alert that has been told of it. When it is over, the alert is told again.
create table twinbell.alert_condition (
  alert    text not null,
  key      text not null,
  event    text not null,
  began_at timestamptz not null default clock_timestamp(),
  about    jsonb not null,
  primary key (alert, key),
  constraint alert_condition_finite_check check (isfinite(began_at))
);

-- One call of a webhook, with its attempts. It gathers events, is sent, and is kept with what became of it.
create table twinbell.alert_delivery (
  id         bigint generated always as identity primary key,
  -- The idempotency key: unlike the id it is no other's after a restored backup.
  key        uuid not null default gen_random_uuid(),
  alert      text not null,
  state      text not null check (state in ('GATHERING', 'PENDING', 'SENDING', 'DELIVERED', 'GIVEN_UP', 'SILENCED')),
  is_test    boolean not null default false,
  content    json not null,
  -- The latest attempt, and the master that made it.
  attempt    integer not null default 0,
  epoch      bigint,
  node       text,
  created_at timestamptz not null default clock_timestamp(),
  -- The next attempt; of one that is being sent, when it counts as lost.
  due_at     timestamptz,
  started_at timestamptz,
  ended_at   timestamptz,
  output     text,
  error      text,
  constraint alert_delivery_finite_check
    check (isfinite(created_at) and isfinite(due_at) and isfinite(started_at) and isfinite(ended_at))
);
create index alert_delivery_of on twinbell.alert_delivery (alert, id);
create index alert_delivery_started on twinbell.alert_delivery (alert, started_at) where not is_test;
create index alert_delivery_ended on twinbell.alert_delivery (ended_at);
create index alert_delivery_open on twinbell.alert_delivery (id) where state in ('PENDING', 'SENDING');
-- An alert gathers in one place at a time, and in another what falls into a silence.
create unique index alert_delivery_gathering on twinbell.alert_delivery (alert, state)
  where state in ('GATHERING', 'SILENCED') and ended_at is null;


-- Whether an event is for an alert. One that is of no task is not filtered by tasks. All that raise events call this,
-- also the master.
create function twinbell.alert_wants(a twinbell.alert, what text, of_app text, of_name text, of_task bigint)
  returns boolean
  language sql stable
  as $$
    select what = any (a.events) and (of_task is null or (
      (a.app is null or a.app = of_app) and (a.task is null or a.task = of_name)
      and (a.tag is null and a.owner is null or exists (
        select 1 from twinbell.task t join twinbell.definition d on d.id = t.definition_id
        where t.id = of_task and (a.tag is null or a.tag = any (d.tags)) and (a.owner is null or a.owner = d.owner)))))
  $$;

-- Whether a list of codes, of which some end with *, names a code.
create function twinbell.names_code(codes text[], code text) returns boolean
  language sql immutable parallel safe
as $$
  select exists (select 1 from unnest(codes) as named
    where named = code or named like '%*' and starts_with(code, left(named, -1)))
$$;

-- Trigger: the outcome of an execution. Where nobody wants to know, it looks at the alerts that there are, for each row
-- that went wrong and for no other.
create function twinbell.alert_of_execution() returns trigger
  language plpgsql
as $$
declare
  what text := case new.state when 'TIMED_OUT' then 'FAILED' else new.state end;
begin
  insert into twinbell.alert_event (alert, event, about)
  select a.name, what, jsonb_build_object('app', new.app, 'name', new.name, 'taskId', new.task_id,
      'fireTime', twinbell.instant_text(new.fire_time), 'untilFireTime', twinbell.instant_text(new.until_fire_time),
      'slots', new.slots, 'state', new.state, 'attempt', new.attempt, 'node', new.node, 'epoch', new.epoch,
      'error', left(new.error, 1000), 'errorCode', new.error_code, 'reason', left(new.reason, 1000))
  from twinbell.alert a where twinbell.alert_wants(a, what, new.app, new.name, new.task_id)
    and (what <> 'FAILED' or a.error_codes is null or twinbell.names_code(a.error_codes, new.error_code));
  return null;
end $$;

create trigger alert_of_outcome after update on twinbell.execution
  for each row when (new.state in ('FAILED', 'TIMED_OUT', 'MISSED', 'DROPPED') and new.state <> old.state)
  execute function twinbell.alert_of_execution();
create trigger alert_of_entry after insert on twinbell.execution
  for each row when (new.state in ('FAILED', 'TIMED_OUT', 'MISSED', 'DROPPED'))
  execute function twinbell.alert_of_execution();

-- Raises an event of a task that fires no more: its definition can't be read, or it has failed too often. The nodes
-- call it for the latter. Returns the number of alerts.
create function twinbell.raise_task_alert(what text, of_task bigint, because text) returns bigint
  language sql volatile
  as $$
    with raised as (
      insert into twinbell.alert_event (alert, event, about)
      select a.name, what, jsonb_build_object('app', t.app, 'name', t.name, 'taskId', t.id, 'reason', left(because, 1000))
      from twinbell.task t, twinbell.alert a
      where t.id = of_task and twinbell.alert_wants(a, what, t.app, t.name, t.id)
      returning 1
    ) select count(*) from raised
  $$;

-- Trigger: a task's definition cannot be read.
create function twinbell.alert_of_task() returns trigger
  language plpgsql
as $$
begin
  perform twinbell.raise_task_alert('TASK_ERROR', new.task_id, new.state_reason);
  return null;
end $$;

create trigger alert_of_error after update of state on twinbell.task_state
  for each row when (new.state = 'ERROR' and old.state <> 'ERROR')
  execute function twinbell.alert_of_task();

-- Trigger: a change of role, with the line of the role history, which each node writes of itself. What a node passes
-- through is left out.
create function twinbell.alert_of_role() returns trigger
  language plpgsql
as $$
begin
  insert into twinbell.alert_event (alert, event, at, about)
  select a.name, 'ROLE_CHANGE', new.at, jsonb_build_object('node', new.node, 'from', new.from_role, 'to', new.to_role,
      'epoch', new.epoch, 'reason', left(new.reason, 1000))
  from twinbell.alert a where twinbell.alert_wants(a, 'ROLE_CHANGE', null, null, null);
  return null;
end $$;

create trigger alert_of_role_change after insert on twinbell.role_history
  for each row when (new.to_role in ('MASTER', 'STANDBY', 'STOPPED'))
  execute function twinbell.alert_of_role();
