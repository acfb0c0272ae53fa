-- Tasks: what to do, when, and how to treat trouble; and what holds for many tasks: calendars, defaults, limits, pauses
-- and quotas.
--
-- What a task does is a definition: an immutable value that any number of tasks share. A task is two rows. task says
-- which definition it has and what is its own: name, data, instants; people change it. Every fire changes task_state.
-- Triggers that belong to the alerts, to rights and to the audit are in V4, V5 and V6.


-- Helpers, which the statements of the nodes use, too.

-- Versions are counted around, and stay what every JSON reader can keep: one written by hand must not stop edits.
create function twinbell.next_version(version bigint) returns bigint
  language sql immutable parallel safe
  as $$ select version % 9007199254740991 + 1 $$;

-- How urgent a task is, by its definition: 5 if that does not say. Whoever writes a definition stores this beside the
-- next fire time, so that the heap is read without a look at the definition.
create function twinbell.priority(definition jsonb) returns smallint
  language sql immutable parallel safe
as $$
  select case when jsonb_typeof(definition -> 'priority') = 'number'
         then greatest(0, least(9, round((definition ->> 'priority')::numeric)))::smallint else 5::smallint end
$$;

-- A definition with the parent of a run among its data. run_definition calls it.
create function twinbell.with_parent(definition jsonb, parent jsonb) returns jsonb
  language sql immutable parallel safe
as $$
  select case
    when parent is null then definition
    when jsonb_typeof(definition -> 'data') = 'object'
      then jsonb_set(definition, '{data}', (definition -> 'data') || jsonb_build_object('parent', parent))
    when definition ? 'data'
      then jsonb_set(definition, '{data}', jsonb_build_object('value', definition -> 'data', 'parent', parent))
    else definition || jsonb_build_object('data', jsonb_build_object('parent', parent))
  end
$$;

-- The definition of one run: with data of its own, if it has some, and its parent, without what that lacks. Claims call
-- this, and whatever reads a run later.
create function twinbell.run_definition(definition jsonb, parent jsonb, data jsonb) returns jsonb
  language sql immutable parallel safe
as $$
  select twinbell.with_parent(case when data is null then definition else jsonb_set(definition, '{data}', data) end,
    nullif(parent - 'lacking', '{}'))
$$;

-- The links of a definition to its followers, whatever the outcome. Called by refuse_chain and lacking_right.
create function twinbell.followers(definition jsonb) returns setof jsonb
  language sql immutable parallel safe
as $$
  select jsonb_array_elements(case when jsonb_typeof(links) = 'array' then links else '[]' end)
  from (values (definition -> 'then'), (definition -> 'thenOnFailure')) as l(links)
$$;


-- Tasks

-- What tasks do, when, and how they treat trouble: all of a task that is not its own. A row never changes. An edit of a
-- task refers to another one. Two rows may be equal: looking for an equal one must not wait for a transaction that adds
-- it. The ledger refers to them, too. What no task has referred to for as long as the ledger keeps its rows is removed
-- by remove_definitions; nodes may not remove any themselves.
create table twinbell.definition (
  id           bigint generated always as identity primary key,
  -- Of the columns below: see define.
  hash         bytea not null,
  owner        text check (length(owner) <= 200),
  tags         text[] not null default '{}',
  handler_type text not null,
  -- Which java handler; null for other types.
  handler_key  text,
  -- JSON as the API has it, without the members that have columns here or in task. This is the bound on everything.
  content      jsonb not null check (octet_length(content::text) <= 1048576),
  created_at   timestamptz not null default clock_timestamp(),
  -- When remove_definitions first found that no task refers to it.
  unused_since timestamptz,
  constraint definition_finite_check check (isfinite(created_at) and isfinite(unused_since))
);

-- Trigger: a changed definition would change all tasks that refer to it, past the checks and the audit of an edit.
create function twinbell.refuse_changed_definition() returns trigger
  language plpgsql
as $$
begin
  raise exception using errcode = 'object_not_in_prerequisite_state',
    message = 'a definition does not change: edit the task, which then refers to another one';
end $$;

create trigger definition_stays before update of id, hash, owner, tags, handler_type, handler_key, content on twinbell.definition
  for each statement execute function twinbell.refuse_changed_definition();

create index definition_hash on twinbell.definition (hash);
create index definition_tags on twinbell.definition using gin (tags) where tags <> '{}';
-- Whether any task needs a key or an http profile that a node lacks.
create index definition_handler_key on twinbell.definition (handler_key) where handler_key is not null;
create index definition_http_profile on twinbell.definition ((content #>> '{handler,profile}'))
  where content #>> '{handler,profile}' is not null;

create table twinbell.task (
  id            bigint generated always as identity primary key,
  app           text not null check (length(app) between 1 and 200),
  name          text not null check (length(name) between 1 and 200),
  -- Without a foreign key: every new task would lock the row that a million tasks share.
  definition_id bigint not null,
  -- Given to each run; null if there is none. The API bounds it, and this where it could be too long.
  data          jsonb check (pg_column_size(data) < 8192 or octet_length(data::text) <= 1048576),
  -- The member start, from which intervals and delays count; null if the definition has it, because it is no instant.
  start_at      timestamptz(3),
  -- The instant of a schedule of the kind at.
  fire_at       timestamptz(3),
  -- Whether the definition names followers.
  chained       boolean not null default false,
  -- What whoever stored the task last may not use: handler types, and 'secrets', each with the name of the right. The
  -- run of a follower inherits that from all tasks before it, and does not start if its own handler needs one of these.
  -- So it does not matter when, and by whom, the follower is stored or changed.
  lacking       jsonb not null default '{}',
  created_at    timestamptz not null default clock_timestamp(),
  updated_at    timestamptz not null default clock_timestamp(),
  unique (app, name),
  constraint task_finite_check check (isfinite(created_at) and isfinite(updated_at) and isfinite(start_at)
    and isfinite(fire_at))
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- Plans do not depend on the data, but their statistics would be most of the work of an analyze.
alter table twinbell.task alter column data set statistics 0;

-- Tasks by tag, owner, handler: their definitions are few.
create index task_definition on twinbell.task (definition_id);
-- A change of an outcome looks for followers only if any task has some.
create index task_chained on twinbell.task (id) where chained;

-- A definition as the API has it, with what is a task's own.
create function twinbell.full_definition(content jsonb, data jsonb, start_at timestamptz, fire_at timestamptz)
  returns jsonb
  language sql stable parallel safe
as $$
  select case when data is null and start_at is null and fire_at is null then content else
    case when fire_at is null then content
      else jsonb_set(content, '{schedule}', (content -> 'schedule') || jsonb_build_object('at', twinbell.instant_text(fire_at))) end
    || case when data is null then '{}' else jsonb_build_object('data', data) end
    || case when start_at is null then '{}' else jsonb_build_object('start', twinbell.instant_text(start_at)) end end
$$;

-- Tasks as the API has them, for reading. Functions use the tables: a session of an application may forbid views.
create view twinbell.full_task as
  select t.id, t.app, t.name, t.definition_id, d.owner, d.tags, d.handler_type, d.handler_key,
         twinbell.full_definition(d.content, t.data, t.start_at, t.fire_at) as definition,
         t.chained, t.lacking, t.created_at, t.updated_at
  from twinbell.task t join twinbell.definition d on d.id = t.definition_id;

-- A row of task as the API has it. In PL/pgSQL, because a function in SQL would be planned again for each statement.
create function twinbell.full_task_of(t twinbell.task) returns twinbell.full_task
  language plpgsql stable
as $$
declare
  f twinbell.full_task;
begin
  select t.id, t.app, t.name, t.definition_id, d.owner, d.tags, d.handler_type, d.handler_key,
         twinbell.full_definition(d.content, t.data, t.start_at, t.fire_at), t.chained, t.lacking, t.created_at, t.updated_at
  into f from twinbell.definition d where d.id = t.definition_id;
  return f;
end $$;

-- Takes a definition as the API has it apart. What is no instant stays in the content, for the node to refuse. The
-- planner takes this text in place of a call, and evaluates an argument several times: use a column or a variable.
create function twinbell.parts(definition jsonb)
  returns table (content jsonb, data jsonb, start_at timestamptz, fire_at timestamptz, chained boolean)
  language sql stable parallel safe rows 1
as $$
  select case when jsonb_typeof(definition) = 'object' then
           (case when at is null then definition else jsonb_set(definition, '{schedule}', (definition -> 'schedule') - 'at') end)
             - case when start is null then '{data}' else '{data,start}' end::text[]
           else definition end,
         definition -> 'data', start, at, definition ?| '{then,thenOnFailure}'
  from (select twinbell.instant_or_null(definition -> 'start') as start,
               twinbell.instant_or_null(definition #> '{schedule,at}') as at offset 0) as own
$$;

-- What define knows a definition by.
create function twinbell.definition_doc(owner text, tags text[], handler_type text, handler_key text, content jsonb)
  returns jsonb
  language sql stable parallel safe
as $$
  select jsonb_build_object('owner', owner, 'tags', to_jsonb(tags), 'type', handler_type, 'key', handler_key, 'content', content)
$$;

-- The ids of the definitions that these documents describe, each in the place of its document; adds those that are
-- missing. Every writer of tasks calls it. The lock keeps them from remove_definitions until the transaction has ended.
create function twinbell.define(docs jsonb[]) returns bigint[]
  language plpgsql
  -- The joins have equally many rows on both sides. The cost of what is off would make the planner compile the plan.
  set enable_nestloop = off set jit = off
as $$
declare
  ids bigint[] := '{}';
begin
  lock table twinbell.definition in row exclusive mode;
  -- The usual call has a short way.
  if cardinality(docs) = 1 then
    ids := array(select d.id from twinbell.definition d where d.hash = sha256(convert_to(docs[1]::text, 'UTF8'))
                 order by d.id limit 1);
  end if;
  if ids = '{}' then
    -- By hash: 1 and 1.0 are equal in jsonb, but are kept as they are written.
    with given as (
      select doc, n, sha256(convert_to(doc::text, 'UTF8')) as hash from unnest(docs) with ordinality as g(doc, n)
    ), kinds as materialized (
      select distinct on (hash) doc, hash from given
    ), present as materialized (
      select min(d.id) as id, d.hash from twinbell.definition d where d.hash = any(array(select hash from kinds)) group by d.hash
    ), added as (
      insert into twinbell.definition (hash, owner, tags, handler_type, handler_key, content)
      select hash, doc ->> 'owner', array(select jsonb_array_elements_text(doc -> 'tags')),
             doc ->> 'type', doc ->> 'key', doc -> 'content'
      from kinds where hash not in (select hash from present)
      returning id, hash
    )
    select array_agg(coalesce(p.id, a.id) order by g.n) into ids
    from given g left join present p using (hash) left join added a using (hash);
  end if;
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
    -- The snapshot may show a definition that was removed since. Locking its row then fails with SQLSTATE 40001.
    perform from twinbell.definition d where d.id = any(ids) for key share;
  end if;
  return ids;
end $$;

-- Examines the next definitions after an id, and removes those that no task has referred to for so long. Returns the last
-- id that was examined; null at the end. A transaction that has just looked one up may refer to it, so this gives way to
-- any that is open, and returns the same id. The master calls it.
create function twinbell.remove_definitions(after bigint, most integer, keep interval) returns bigint
  language plpgsql security definer
  set lock_timeout = '20ms'
  -- However many tasks share their definitions: an unused one would make the planner's scan read all tasks.
  set enable_seqscan = off
as $$
declare
  examined constant bigint[] := array(select d.id from twinbell.definition d where d.id > after order by d.id limit most);
  unused bigint[];
begin
  -- A snapshot that is kept does not show the tasks that were added while this waited for its lock.
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
    return after;
  end if;
  update twinbell.definition d set unused_since = clock_timestamp()
  where d.id = any(examined) and d.unused_since is null
    and not exists (select from twinbell.task t where t.definition_id = d.id);
  update twinbell.definition d set unused_since = null
  where d.id = any(examined) and d.unused_since is not null
    and exists (select from twinbell.task t where t.definition_id = d.id);
  unused := array(select d.id from twinbell.definition d
                  where d.id = any(examined) and d.unused_since <= clock_timestamp() - keep);
  if unused <> '{}' then
    lock table twinbell.definition in exclusive mode;
    delete from twinbell.definition d
    where d.id = any(unused) and not exists (select from twinbell.task t where t.definition_id = d.id);
  end if;
  return examined[cardinality(examined)];
exception when lock_not_available then
  return after;
end $$;

-- The part of a task that firing changes, so that an advance rewrites a narrow row in a table with few small indexes.
-- It has no foreign key: see remove_what_belonged_to_tasks. By default a table is vacuumed when a fifth of its rows is
-- dead. If a million tasks wait, these are 200,000 rows of the few that fire, and their entries lie at the start of the
-- index that the claimer reads; therefore the lower threshold.
create table twinbell.task_state (
  task_id            bigint primary key,
  version            bigint not null default 1 check (version between 1 and 9007199254740991),
  state              text not null default 'ACTIVE' check (state in ('ACTIVE', 'PAUSED', 'FINISHED', 'ERROR')),
  state_reason       text,
  -- Null while the task waits for the end of its run, and if it fires no more. What a node cannot read as milliseconds
  -- would stop every task and not only this one, so whoever writes by hand is bound here.
  next_fire_time     timestamptz(3)
    check (next_fire_time between '1970-01-01T00:00:00Z' and '2199-12-31T23:59:59.999Z'),
  previous_fire_time timestamptz(3)
    check (previous_fire_time between '1970-01-01T00:00:00Z' and '2199-12-31T23:59:59.999Z'),
  -- Since when the task fires as it does: an edit of its timing writes when it came, and the first fire time that it
  -- promised. Slots before that were owed by another definition.
  planned_at         timestamptz not null default clock_timestamp(),
  planned_from       timestamptz,
  -- Slots that were claimed to run, counted by the claim itself: maxRuns is measured by it.
  runs               bigint not null default 0,
  -- The next fire time stands though the schedule may not have it: somebody named it, or an edit kept what was owed.
  off_schedule       boolean not null default false,
  -- 9 is the most urgent.
  priority           smallint not null default 5 check (priority between 0 and 9),
  paused_by          text check (length(paused_by) <= 200),
  -- When the task resumes by itself; null if somebody has to resume it.
  paused_until       timestamptz,
  finished_at        timestamptz,
  constraint task_state_finite_check check (isfinite(next_fire_time) and isfinite(previous_fire_time)
    and isfinite(planned_at) and isfinite(planned_from) and isfinite(paused_until) and isfinite(finished_at))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- The heap is read from here, soonest first.
create index task_state_due on twinbell.task_state (next_fire_time, task_id) include (priority)
  where state = 'ACTIVE' and next_fire_time is not null;
-- Tasks that wait for the end of their run. One that has none is found here and set going again.
create index task_state_waiting on twinbell.task_state (task_id) where state = 'ACTIVE' and next_fire_time is null;
create index task_state_paused_until on twinbell.task_state (paused_until) where state = 'PAUSED' and paused_until is not null;
create index task_state_paused on twinbell.task_state (task_id) where state = 'PAUSED';
create index task_state_finished on twinbell.task_state (finished_at) where state = 'FINISHED';
-- Tasks that fire no more because they cannot be read: counted by each node.
create index task_in_error on twinbell.task_state (task_id) where state = 'ERROR';

-- The latest ping of a task by something outside. An alert may expect one within a time. Without a foreign key:
-- removing a task need not look here, and the master deletes what removed tasks leave behind.
create table twinbell.task_ping (
  task_id bigint primary key,
  at      timestamptz not null,
  constraint task_ping_finite_check check (isfinite(at))
);

-- Trigger: ends of runs and edits finish tasks; the instant is noted in one place for all of them. A claim stamps the
-- end of a task that finishes itself; nobody else may leave a stamp behind.
create function twinbell.note_the_finish() returns trigger
  language plpgsql
as $$
begin
  new.finished_at := case when new.state = 'FINISHED' then clock_timestamp() end;
  return new;
end $$;

create trigger task_state_finish before update of state on twinbell.task_state
  for each row when (old.state is distinct from new.state and (new.state = 'FINISHED') = (new.finished_at is null))
  execute function twinbell.note_the_finish();


-- Scheduling from SQL, inside an application's own transaction. Cron cannot be evaluated there, so a task arrives as it
-- was written, and the master reads it as the API would have, as of the transaction's time.

-- Tasks that the master has not looked at yet. It has no foreign key, either.
create table twinbell.arrival (
  task_id     bigint primary key,
  at          timestamptz not null,
  -- A whole task, which binds from then on.
  replacement jsonb check (octet_length(replacement::text) <= 1048576),
  -- What whoever replaces the task may not use, until the master stores the replacement: as task.lacking.
  lacking     jsonb,
  constraint arrival_finite_check check (isfinite(at))
);

-- Tasks that were removed while slots of theirs were due: how many these are, their schedule tells. The master enters
-- the slots in the ledger and deletes the row. The columns are those of the task and its state.
create table twinbell.removal (
  id                 bigint generated always as identity primary key,
  task_id            bigint not null,
  app                text not null,
  name               text not null,
  handler_type       text not null,
  definition         jsonb not null,
  state              text not null check (state in ('ACTIVE', 'PAUSED', 'FINISHED', 'ERROR')),
  state_reason       text,
  paused_by          text,
  paused_until       timestamptz,
  next_fire_time     timestamptz,
  previous_fire_time timestamptz,
  -- Of one that the master had not looked at; its first fire time is still to be found.
  arrived_at         timestamptz,
  removed_at         timestamptz not null,
  constraint removal_finite_check check (isfinite(paused_until) and isfinite(next_fire_time)
    and isfinite(previous_fire_time) and isfinite(arrived_at) and isfinite(removed_at))
);


-- What remains of removed and moved tasks

-- Which tasks there were: the ledger outlives them and is asked for by app and name. An index of the ledger on these
-- would cost every fire; this costs a removal.
create table twinbell.removed_task (
  task_id    bigint primary key,
  app        text not null,
  name       text not null,
  removed_at timestamptz not null default clock_timestamp(),
  constraint removed_task_finite_check check (isfinite(removed_at))
);
create index removed_task_by_name on twinbell.removed_task (app, name);

-- Somebody moved a task's next fire time ahead. The slots of its schedule in between are owed until they have passed or
-- the task is moved again: then the master enters them. The definition is kept, since the task may be another by then,
-- or gone.
create table twinbell.leap (
  id         bigint generated always as identity primary key,
  task_id    bigint not null,
  app        text not null,
  name       text not null,
  definition jsonb not null,
  -- Both excluded.
  after_time timestamptz(3) not null,
  until_time timestamptz(3) not null,
  constraint leap_finite_check check (isfinite(after_time) and isfinite(until_time))
);
create index leap_of_task on twinbell.leap (task_id);
create index leap_end on twinbell.leap (until_time);

-- Trigger: remembers the names of removed tasks, and ends what they had leapt over. Their definitions, which the ledger
-- may refer to, count as unused from now on.
create function twinbell.remember_removed_tasks() returns trigger
  language plpgsql
as $$
begin
  insert into twinbell.removed_task (task_id, app, name) select id, app, name from removed on conflict do nothing;
  update twinbell.leap l set until_time = clock_timestamp() from removed r
  where l.task_id = r.id and l.until_time > clock_timestamp();
  update twinbell.definition d set unused_since = null
  where d.id = any(array(select distinct definition_id from removed)) and d.unused_since is not null;
  return null;
end $$;

create trigger task_removed after delete on twinbell.task
  referencing old table as removed for each statement execute function twinbell.remember_removed_tasks();

-- Trigger: deletes the other rows of removed tasks. A foreign key would look its task up for each row, by a plan that a
-- session keeps: one made while the table was empty reads all of it, row after row. These rows are only ever written
-- together with their task, or while it is held.
create function twinbell.remove_what_belonged_to_tasks() returns trigger
  language plpgsql
  -- However small the tables are when this is planned.
  set enable_seqscan = off
as $$
declare
  gone bigint[] := array(select id from removed);
begin
  delete from twinbell.task_state s where s.task_id = any(gone);
  delete from twinbell.arrival a where a.task_id = any(gone);
  return null;
end $$;

create trigger task_belongings after delete on twinbell.task
  referencing old table as removed for each statement execute function twinbell.remove_what_belonged_to_tasks();


-- Calendars: when the tasks that respect them may fire.

-- A version is never used twice, also not by a calendar that is removed and made again under its name.
create sequence twinbell.calendar_version;

create table twinbell.calendar (
  name       text primary key check (length(name) between 1 and 200),
  version    bigint not null default nextval('twinbell.calendar_version'),
  content    jsonb not null check (octet_length(content::text) <= 4194304),
  -- What it was read from, if that was not JSON.
  source     text check (octet_length(source) <= 1048576),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  -- What is no object would stop whoever reads it.
  constraint calendar_object_check check (jsonb_typeof(content) = 'object'),
  constraint calendar_finite_check check (isfinite(created_at) and isfinite(updated_at))
);

-- Which calendars a task respects, and with which version of each its next fire time was computed. A row whose version
-- lags is found by whoever changed the calendar, and by both nodes every few seconds; the fire time is computed anew.
create table twinbell.task_calendar (
  task_id  bigint not null references twinbell.task on delete cascade,
  calendar text not null references twinbell.calendar,
  version  bigint not null,
  primary key (task_id, calendar)
);
create index task_calendar_by_version on twinbell.task_calendar (calendar, version, task_id);


-- Defaults: values for members that a task does not have when it is created, replaced or patched.

create sequence twinbell.task_defaults_version;

create table twinbell.task_defaults (
  -- 'cluster', or app:… for those of an app, which win.
  key              text primary key check (key = 'cluster' or key ~ '^app:.' and length(key) <= 204),
  -- Empty after a removal. The row stays, so that the greatest version only grows.
  content          jsonb not null check (jsonb_typeof(content) = 'object'),
  version          bigint not null default nextval('twinbell.task_defaults_version'),
  -- The version that every task with values from defaults has followed.
  followed_version bigint not null default 0,
  created_at       timestamptz not null default clock_timestamp(),
  updated_at       timestamptz not null default clock_timestamp(),
  constraint task_defaults_finite_check check (isfinite(created_at) and isfinite(updated_at))
);
create index task_defaults_newest on twinbell.task_defaults (version);

-- The members that the cluster or the app has a default for. The master fills them in when it reads the new task. In
-- PL/pgSQL, because add_task calls this for each task, and a function in SQL would be planned again each time.
create function twinbell.defaulted(of_app text) returns text[]
  language plpgsql stable parallel safe
as $$
begin
  if not exists (select from twinbell.task_defaults) then
    return '{}';
  end if;
  return (
    select coalesce(array_agg(distinct member), '{}')
    from twinbell.task_defaults d cross join lateral jsonb_object_keys(d.content) as member
    where d.key in ('cluster', 'app:' || of_app));
end $$;


-- Limits and pauses of many tasks, by key

-- How many runs may share something at once, and how many of them may start in a time.
create table twinbell.run_limit (
  -- A concurrency key, or app:…, tag:… and handler:… for what tasks are found by.
  key         text primary key check (length(key) between 1 and 220),
  max_running integer check (max_running > 0),
  rate_max    integer check (rate_max > 0),
  rate_per    interval check (rate_per > interval '0'),
  created_at  timestamptz not null default clock_timestamp(),
  updated_at  timestamptz not null default clock_timestamp(),
  check (max_running is not null or rate_max is not null),
  check ((rate_max is null) = (rate_per is null)),
  -- The bounds of the API: a limit that cannot be read would keep the master from reading all others.
  constraint run_limit_bounds_check check (max_running <= 100000 and rate_max <= 100000
    and rate_per between interval '100 milliseconds' and interval '1 day'),
  constraint run_limit_finite_check check (isfinite(created_at) and isfinite(updated_at))
);

-- Every key that a limit on a task of this app and definition may be set under. What fires knows it in code of its own:
-- LimitKey.
create function twinbell.limit_keys(app text, d twinbell.definition) returns text[]
  language sql immutable parallel safe
as $$
  select array_remove(array[d.content ->> 'concurrencyKey', 'app:' || app, 'handler:' || d.handler_type,
                            'handler:' || d.handler_key], null)
    || coalesce((select array_agg('tag:' || tag) from unnest(d.tags) as tag), '{}')
$$;

-- A pause of the tasks of an app, with a tag or with a handler. It applies to tasks that are created later too, and
-- changes none of them.
create table twinbell.standing_pause (
  id           bigint generated always as identity primary key,
  -- As twinbell.limit_keys computes them: app:…, tag:… or handler:…
  key          text not null check (key ~ '^(app|tag|handler):.' and length(key) <= 208),
  reason       text not null check (length(reason) <= 500),
  paused_by    text not null check (length(paused_by) <= 200),
  paused_at    timestamptz not null default clock_timestamp(),
  -- When it ends by itself; null if somebody has to end it.
  paused_until timestamptz,
  -- Null while it is open.
  resumed_at   timestamptz,
  constraint standing_pause_finite_check
    check (isfinite(paused_at) and isfinite(paused_until) and isfinite(resumed_at))
);
create unique index standing_pause_open on twinbell.standing_pause (key) where resumed_at is null;

-- Who paused the tasks of this app and definition by a standing pause, and why; null if nobody has. Chains call it for
-- followers, and nodes for what waits.
create function twinbell.standing_pause_of(app text, d twinbell.definition) returns text
  language sql stable parallel safe
as $$
  select ' by ' || p.paused_by || ' for ' || p.key || ': ' || p.reason from twinbell.standing_pause p
  where p.resumed_at is null and coalesce(p.paused_until, 'infinity') > clock_timestamp()
    and p.key = any(twinbell.limit_keys(app, d))
  order by p.id limit 1
$$;


-- Quotas of apps

-- What each app may take: tasks, new tasks a minute, and bytes of definitions. Null means any number. Without quotas
-- there is no row. The master writes it, from its configuration.
create table twinbell.app_quota (
  id              smallint primary key default 1 check (id = 1),
  tasks           bigint check (tasks > 0),
  adds_per_minute bigint check (adds_per_minute > 0),
  bytes           bigint check (bytes > 0)
);

-- What each app takes, as the master counted it last. It counts each second, or less often where that takes long.
create table twinbell.app_usage (
  app   text primary key,
  tasks bigint not null,
  -- Of the minute before the count.
  adds  bigint not null,
  bytes bigint not null
);

-- The bytes that count for a task: its definition counts for each that has it.
create function twinbell.definition_bytes(t twinbell.task) returns integer
  language sql stable
as $$
  select coalesce(pg_column_size(t.data), 0) + pg_column_size(d.content) from twinbell.definition d where d.id = t.definition_id
$$;

-- Compares what an app would have with its quotas. The new rows and their entries in the audit exist already. Near the
-- quota, and for an app that was not counted yet, it counts exactly. Otherwise the last count is close enough, and
-- costs one row.
create function twinbell.check_quotas(quota twinbell.app_quota, of_app text, new_tasks bigint, new_bytes bigint)
  returns void
  language plpgsql
as $$
declare
  few constant bigint := 1000;
  near constant numeric := 0.9;
  used twinbell.app_usage;
  present bigint;
begin
  select * into used from twinbell.app_usage u where u.app = of_app;
  if new_tasks > 0 and quota.tasks is not null then
    present := used.tasks;
    if present is null or quota.tasks <= few or present + new_tasks > near * quota.tasks then
      select count(*) - new_tasks into present
      from (select from twinbell.task t where t.app = of_app limit quota.tasks + new_tasks + 1) as counted;
    end if;
    perform twinbell.refuse_over_quota('quotas.tasks', of_app, quota.tasks, 'tasks', present, new_tasks);
  end if;
  if new_tasks > 0 and quota.adds_per_minute is not null then
    present := used.adds;
    if present is null or quota.adds_per_minute <= few or present + new_tasks > near * quota.adds_per_minute then
      present := twinbell.adds_of_last_minute(of_app) - new_tasks;
    end if;
    perform twinbell.refuse_over_quota('quotas.addsPerMinute', of_app, quota.adds_per_minute, 'new tasks a minute', present,
      new_tasks);
  end if;
  if new_bytes > 0 and quota.bytes is not null then
    present := used.bytes;
    if present is null then
      select sum(twinbell.definition_bytes(t)) - new_bytes into present from twinbell.task t where t.app = of_app;
    end if;
    perform twinbell.refuse_over_quota('quotas.megabytes', of_app, quota.bytes, 'bytes of definitions', present, new_bytes);
  end if;
end $$;

-- Trigger: refuses new tasks beyond the quotas of their app. It has the owner's rights, since applications may add
-- tasks but read no quota.
create function twinbell.check_quotas_of_added() returns trigger
  language plpgsql security definer
as $$
declare
  quota twinbell.app_quota;
begin
  select * into quota from twinbell.app_quota;
  if found then
    perform twinbell.check_quotas(quota, a.app, a.tasks, a.bytes)
    from (select a.app, count(*) as tasks, sum(twinbell.definition_bytes(a)) as bytes from added a group by a.app) as a;
  end if;
  return null;
end $$;

-- Its name makes it run after the trigger that enters the audit.
create trigger quotas_of_added after insert on twinbell.task referencing new table as added
  for each statement execute function twinbell.check_quotas_of_added();

-- Trigger: the same for edits, which may make definitions longer. The master rewrites definitions that were accepted
-- already: when it first reads a task that was added by SQL, and when defaults change. A quota must not stop that, so
-- the master's transactions say that they are exempt. Other roles may say so too, but they may not update tasks.
create function twinbell.check_quotas_of_changed() returns trigger
  language plpgsql security definer
as $$
declare
  quota twinbell.app_quota;
begin
  select * into quota from twinbell.app_quota;
  if found and coalesce(current_setting('twinbell.quotas', true), '') <> 'exempt' then
    perform twinbell.check_quotas(quota, c.app, c.tasks, c.bytes)
    from (
      select a.app, count(*) filter (where a.app <> b.app) as tasks,
             sum(twinbell.definition_bytes(a) - twinbell.definition_bytes(b)) as bytes
      from after_it a join before_it b using (id) group by a.app
    ) as c;
  end if;
  return null;
end $$;

create trigger quotas_of_changed after update on twinbell.task referencing old table as before_it new table as after_it
  for each statement execute function twinbell.check_quotas_of_changed();

-- Counts what each app takes. Returns how many apps have reached a quota. The master calls it.
create function twinbell.count_app_usage() returns bigint
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  since constant timestamptz := clock_timestamp() - interval '1 minute';
begin
  insert into twinbell.app_usage as u (app, tasks, adds, bytes)
  select t.app, t.tasks, coalesce(a.adds, 0), t.bytes
  from (select t.app, count(*) as tasks, sum(coalesce(pg_column_size(t.data), 0) + d.bytes) as bytes
        from twinbell.task t join (select id, pg_column_size(content) as bytes from twinbell.definition) d on d.id = t.definition_id
        group by t.app) as t
    left join (select e.app, sum(e.items) as adds from twinbell.audit_entry e
               where e.at > since and e.kind = 'TASK' and e.act = 'CREATE' group by e.app) as a on a.app = t.app
  order by t.app
  on conflict (app) do update set tasks = excluded.tasks, adds = excluded.adds, bytes = excluded.bytes
    where (u.tasks, u.adds, u.bytes) is distinct from (excluded.tasks, excluded.adds, excluded.bytes);
  delete from twinbell.app_usage u where not exists (select from twinbell.task t where t.app = u.app);
  return (select count(*) from twinbell.app_usage u, twinbell.app_quota q
          where u.tasks >= q.tasks or u.adds >= q.adds_per_minute or u.bytes >= q.bytes);
end $$;
