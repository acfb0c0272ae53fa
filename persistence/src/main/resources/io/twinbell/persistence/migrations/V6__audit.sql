-- The audit: who changed what, when, from where, and what it was before. Triggers write the entries in the transaction
-- of the change, so changes by the API, the library, SQL functions and plain SQL are all found here. Claims and
-- outcomes are in the ledger, not here. The master seals the entries in a chain of hashes, by which a changed or
-- missing entry is found.

-- Whose change it is: a node states it for each transaction, in the setting twinbell.actor.
create type twinbell.audit_origin as (
  actor   text,
  channel text,
  address text,
  request text
);

-- The author of the running transaction's changes, for every function that writes entries. Only sessions of nodes and
-- of the owner are believed: every other session could state anything, and counts as its database role.
create function twinbell.audit_origin() returns twinbell.audit_origin
  language plpgsql stable security definer
as $$
declare
  session constant text := current_setting('application_name');
  stated jsonb;
  origin twinbell.audit_origin;
begin
  if pg_has_role(session_user, current_user, 'USAGE') or twinbell.is_node(session_user) then
    stated := nullif(current_setting('twinbell.actor', true), '')::jsonb;
    if stated is not null then
      origin.actor := left(stated ->> 'actor', 300);
      origin.channel := stated ->> 'channel';
      origin.address := left(stated ->> 'address', 100);
      origin.request := left(stated ->> 'request', 500);
      return origin;
    elsif session ~ '^twinbell/[0-9a-f]{8}-[0-9a-f]{4}/' then
      origin.actor := 'node ' || coalesce(nullif(split_part(session, '/', 4), ''), '?');
      origin.channel := 'NODE';
    end if;
  end if;
  if origin.actor is null then
    origin.actor := 'role ' || session_user;
    origin.channel := 'SQL';
    origin.request := nullif(session, '');
  end if;
  origin.address := host(inet_client_addr());
  return origin;
end $$;

-- The reason that a request gives for its changes; null if none. As with the author, only sessions of nodes and of the
-- owner are believed. It is the default of a column, so it goes into each entry and no trigger has to name it.
create function twinbell.audit_reason() returns text
  language sql stable
as $$
  select case when pg_has_role(session_user, current_user, 'USAGE') or twinbell.is_node(session_user)
    then left(nullif(current_setting('twinbell.actor', true), '')::jsonb ->> 'reason', 500) end
$$;


-- One entry for each change. seal_audit names the columns by position, so their order must not change.
create table twinbell.audit_entry (
  id       bigint generated always as identity,
  at       timestamptz not null default clock_timestamp(),
  tx       xid8 not null default pg_current_xact_id(),
  -- As the node states it, or the role or node of the session.
  actor    text not null,
  channel  text not null check (channel in ('HTTP', 'CLI', 'JMX', 'SQL', 'NODE')),
  address  text,
  -- The request that led to the change, such as POST /api/v1/tasks.
  request  text,
  -- The role that logged in. A client cannot choose it, in contrast to what the node states.
  db_role  name not null default session_user,
  -- The kind of object, such as TASK, its id or key, and the app and name of a task.
  kind     text not null,
  object   text,
  app      text,
  name     text,
  -- What was done, such as CREATE, and the object before and after it.
  act      text not null,
  before   jsonb,
  after    jsonb,
  outcome  text not null default 'DONE' check (outcome in ('DONE', 'REFUSED')),
  -- The reason that the author gave, or why an attempt was refused.
  detail   text default twinbell.audit_reason(),
  -- More than one if the entry stands for many objects or attempts.
  items    bigint not null default 1 check (items > 0),
  primary key (at, id),
  constraint audit_entry_finite_check check (isfinite(at))
) partition by range (at);

-- Entries whose day has no partition.
create table twinbell.audit_entry_default partition of twinbell.audit_entry default;

create index audit_entry_by_tx on twinbell.audit_entry (tx, id);
create index audit_entry_by_app on twinbell.audit_entry (app, at, id) where app is not null;
create index audit_entry_by_object on twinbell.audit_entry (kind, object, at, id);

-- The chain. One row seals many entries: the digest of each, and a hash over these and the seal before.
create table twinbell.audit_seal (
  number    bigint primary key,
  -- The day of its latest entry, but never before the day of the previous seal.
  day       date not null,
  sealed_at timestamptz not null default clock_timestamp(),
  ids       bigint[] not null,
  digests   bytea[] not null check (cardinality(digests) = cardinality(ids)),
  -- Transaction and id of the last entry. The next seal begins behind it.
  last_tx   xid8 not null,
  last_id   bigint not null,
  -- Entries up to this id are from before the database was restored on a server with other transaction numbers.
  floor_id  bigint not null,
  -- The hash of the previous seal, and of this one.
  previous  bytea not null,
  chain     bytea not null,
  constraint audit_seal_finite_check check (isfinite(sealed_at))
);
create index audit_seal_by_day on twinbell.audit_seal (day, number);

-- Repeats the last seal, so that a missing end of the chain is noticed.
create table twinbell.audit_head (
  id     smallint primary key default 1 check (id = 1),
  number bigint not null default 0,
  chain  bytea not null default ''
);
insert into twinbell.audit_head default values;

-- Nobody changes an entry or a seal: the owner of these tables has to take the right first.
revoke update, delete, truncate on twinbell.audit_entry, twinbell.audit_entry_default, twinbell.audit_seal
  from current_user;


-- One partition for each UTC day.

-- Creates the partition of a day, with no right to change it. Entries of that day in the default partition move to it.
create function twinbell.ensure_audit_partition(day date) returns boolean
  language plpgsql security definer
as $$
declare
  partition constant text := 'audit_entry_' || to_char(day, 'YYYYMMDD');
  from_time constant timestamptz := day::timestamp at time zone 'UTC';
  until_time constant timestamptz := (day + 1)::timestamp at time zone 'UTC';
begin
  if to_regclass('twinbell.' || partition) is not null then
    return false;
  end if;
  execute format('create table twinbell.%I (like twinbell.audit_entry including defaults including constraints)', partition);
  grant delete on twinbell.audit_entry_default to current_user;
  execute format(
    'with moved as (delete from twinbell.audit_entry_default where at >= %L and at < %L returning *)
     insert into twinbell.%I select * from moved', from_time, until_time, partition);
  revoke delete on twinbell.audit_entry_default from current_user;
  execute format('alter table twinbell.audit_entry attach partition twinbell.%I for values from (%L) to (%L)',
    partition, from_time, until_time);
  execute format('revoke update, delete, truncate on twinbell.%I from current_user', partition);
  return true;
end $$;

-- Yesterday to a week ahead, and days with entries in the default partition: called at the end of this file, and by the
-- master's upkeep. Returns how many are new.
create function twinbell.ensure_audit_partitions() returns integer
  language sql security definer
as $$
  select count(*)::int
  from (select (clock_timestamp() at time zone 'UTC')::date + ahead as day from generate_series(-1, 7) as ahead
        union select (at at time zone 'UTC')::date from twinbell.audit_entry_default) as days
  where twinbell.ensure_audit_partition(day)
$$;

-- Drops the oldest day of entries that is older than that many days, and returns its name; null if there is none. For
-- the master's upkeep. A node that does not own the schema drops no day that the owner wants to keep. Seals go one day
-- before their entries, because a transaction around midnight may be sealed with the day after.
create function twinbell.drop_audit_day(keep integer) returns text
  language plpgsql security definer
as $$
declare
  kept constant integer := case when pg_has_role(session_user, current_user, 'USAGE') then keep
    else greatest(keep, (select max(audit_days) from twinbell.node_role)) end;
  oldest constant date := (clock_timestamp() at time zone 'UTC')::date - kept;
  partition text;
begin
  if keep is null or keep < 1 then
    perform twinbell.refuse(format('the audit keeps at least one day, not %s', keep));
  end if;
  select c.relname into partition from pg_class c
  where c.relnamespace = 'twinbell'::regnamespace and c.relkind = 'r' and c.relname ~ '^audit_entry_[0-9]{8}$'
    and to_date(right(c.relname, 8), 'YYYYMMDD') < oldest
  order by c.relname limit 1;
  if partition is not null then
    grant delete on twinbell.audit_seal to current_user;
    delete from twinbell.audit_seal where day <= to_date(right(partition, 8), 'YYYYMMDD') + 1;
    revoke delete on twinbell.audit_seal from current_user;
    execute format('drop table twinbell.%I', partition);
  end if;
  return partition;
end $$;


-- What the triggers and functions that write entries share.

-- What an entry shows of a value: without passwords, and of a large one the beginning. Functions without settings, such
-- as this one, are called by functions that have them.
create function twinbell.audit_value(value jsonb) returns jsonb
  language plpgsql immutable parallel safe
as $$
declare
  most constant integer := 8192;
  names constant text := '(?:authorization|cookie|passw|secret|token|api[-_]?key|credential)';
  shown text := value::text;
  bytes constant integer := octet_length(shown);
begin
  if bytes > most then
    shown := left(shown, most);
  end if;
  if shown ~* names or strpos(shown, '@') > 0 then
    -- A member of an object, and a member in a JSON text inside a string.
    shown := regexp_replace(shown, '("[^"\\]*' || names || '[^"\\]*": ")(?:[^"\\]|\\.)*("|\\?$)', '\1***\2', 'gi');
    shown := regexp_replace(shown, '(\\"[^"\\]*' || names || '[^"\\]*\\"\s*:\s*\\")(?:[^"\\]|\\[^"])*', '\1***', 'gi');
    shown := regexp_replace(shown, '(://)[^/"@\s]*@', '\1***@', 'g');
    value := case when bytes <= most then shown::jsonb end;
  end if;
  return case when bytes > most then jsonb_build_object('beginning', shown, 'bytes', bytes) else value end;
end $$;

-- What an entry shows of a task.
create function twinbell.audit_task(task twinbell.full_task) returns jsonb
  language sql stable
as $$
  select twinbell.audit_value(task.definition || jsonb_strip_nulls(jsonb_build_object(
    'app', task.app, 'name', task.name, 'owner', task.owner, 'tags', nullif(to_jsonb(task.tags), '[]'))))
$$;

-- What an entry shows of the state of a task.
create function twinbell.audit_task_state(state twinbell.task_state) returns jsonb
  language sql stable
as $$
  select jsonb_strip_nulls(jsonb_build_object('state', state.state, 'reason', state.state_reason, 'pausedBy', state.paused_by,
    'pausedUntil', twinbell.instant_text(state.paused_until), 'nextFireTime', twinbell.instant_text(state.next_fire_time)))
$$;


-- Entries that functions write, about what no trigger sees.

-- Writes one entry. Nodes call it for a backfill.
create function twinbell.audit_act(kind text, object text, app text, name text, act text, after jsonb, items bigint)
  returns void
  language sql security definer
as $$
  insert into twinbell.audit_entry (actor, channel, address, request, kind, object, app, name, act, after, items)
  select o.actor, o.channel, o.address, o.request, kind, object, app, name, act, twinbell.audit_value(after), items
  from twinbell.audit_origin() o
$$;

-- Writes one entry for each task with the slots that the running transaction caught up. Every role may call it, because
-- an application resumes a task in a transaction of its own; it names only rows that this transaction has written.
create function twinbell.audit_catch_up(task_ids bigint[], fire_millis bigint[]) returns void
  language sql security definer
as $$
  insert into twinbell.audit_entry (actor, channel, address, request, kind, object, app, name, act, after, items)
  select o.actor, o.channel, o.address, o.request, 'TASK', c.task_id::text, c.app, c.name, 'CATCH_UP',
         twinbell.audit_value(jsonb_build_object('slots', c.slots, 'from', twinbell.instant_text(c.first_fire),
           'until', twinbell.instant_text(c.last_fire))), c.slots
  from (
    select e.task_id, e.app, e.name, count(*) as slots, min(e.fire_time) as first_fire, max(e.fire_time) as last_fire
    from unnest(task_ids, fire_millis) as w(id, fire)
      join twinbell.execution e on e.task_id = w.id and e.fire_time = twinbell.instant(w.fire)
    where e.origin = 'CAUGHT_UP' and e.state = 'PENDING' and e.attempt = 1 and e.changed = pg_current_xact_id()
    group by e.task_id, e.app, e.name
  ) c, twinbell.audit_origin() o
  order by c.task_id
$$;

-- Writes attempts that were refused, as a node counted them: many of one client are one entry.
create function twinbell.audit_refusals(attempts jsonb) returns void
  language sql security definer
as $$
  insert into twinbell.audit_entry (actor, channel, address, request, kind, act, outcome, detail, items)
  select left(a.actor, 300), a.channel, left(a.address, 100), left(a.request, 500), 'ACCESS', a.act, 'REFUSED', left(a.detail, 500),
         a.items
  from jsonb_to_recordset(attempts) as a(actor text, channel text, address text, request text, act text, detail text, items bigint)
$$;


-- Tasks.

-- Tasks that run once come in floods: those of one statement and app are one entry, which names the first ones. The
-- usual statement, which adds one that fires at an instant, has a short way.
create function twinbell.audit_added_tasks() returns trigger
  language plpgsql security definer
as $$
declare
  first twinbell.task;
begin
  select * into first from added limit 1;
  if first.fire_at is not null and not exists (select from added a where a.id <> first.id) then
    insert into twinbell.audit_entry (actor, channel, address, request, kind, object, app, name, act, after)
    select o.actor, o.channel, o.address, o.request, 'TASK', first.id::text, first.app, first.name, 'CREATE', '{"once": true}'
    from twinbell.audit_origin() o;
    return null;
  end if;
  with kinds as materialized (
    select d.id, coalesce(d.content -> 'schedule' ?| '{at,in}', false) as is_once from twinbell.definition d
    where d.id = any(array(select distinct definition_id from added))
  )
  insert into twinbell.audit_entry (actor, channel, address, request, kind, object, app, name, act, after, items)
  select o.actor, o.channel, o.address, o.request, 'TASK', a.object, a.app, a.name, 'CREATE', a.after, a.items
  from (
    select t.id::text as object, t.app, t.name, twinbell.audit_task(twinbell.full_task_of(t)) as after, 1 as items, t.id as place
    from added t join kinds k on k.id = t.definition_id where not k.is_once and t.fire_at is null
    union all
    select case when count(*) = 1 then min(id)::text end, app, case when count(*) = 1 then min(name) end,
           case when count(*) > 1 then jsonb_build_object('once', true, 'names', to_jsonb((array_agg(name order by id))[1:10]))
             else '{"once": true}' end, count(*), min(id)
    from (select t.id, t.app, t.name from added t join kinds k on k.id = t.definition_id
          where k.is_once or t.fire_at is not null) as once
    group by app
  ) a, twinbell.audit_origin() o
  order by a.place;
  return null;
end $$;
create trigger audit_added after insert on twinbell.task referencing new table as added
  for each statement execute function twinbell.audit_added_tasks();

-- One entry for each task whose definition or name changed.
create function twinbell.audit_changed_tasks() returns trigger
  language plpgsql security definer
as $$
begin
  insert into twinbell.audit_entry (actor, channel, address, request, kind, object, app, name, act, before, after)
  select o.actor, o.channel, o.address, o.request, 'TASK', a.id::text, a.app, a.name, 'CHANGE',
         twinbell.audit_task(b), twinbell.audit_task(a)
  from before_it x join after_it y using (id)
    cross join lateral twinbell.full_task_of(x) as b cross join lateral twinbell.full_task_of(y) as a,
    twinbell.audit_origin() o
  where (y.app, y.name, y.definition_id, y.data, y.start_at, y.fire_at)
      is distinct from (x.app, x.name, x.definition_id, x.data, x.start_at, x.fire_at)
    and (a.app, a.name, a.owner, a.tags, a.definition) is distinct from (b.app, b.name, b.owner, b.tags, b.definition);
  return null;
end $$;
create trigger audit_changed after update on twinbell.task referencing old table as before_it new table as after_it
  for each statement execute function twinbell.audit_changed_tasks();

-- Its name makes the trigger run before the one that removes the state of the tasks. Finished tasks are removed by the
-- hundred, by age: those of one statement and app are one entry.
create function twinbell.audit_removed_tasks() returns trigger
  language plpgsql security definer
as $$
begin
  insert into twinbell.audit_entry (actor, channel, address, request, kind, object, app, name, act, before, items)
  select o.actor, o.channel, o.address, o.request, 'TASK', g.object, g.app, g.name, 'REMOVE', g.before, g.items
  from (
    with gone as materialized (
      select t.id, t.app, t.name,
             coalesce((select s.state = 'FINISHED' from twinbell.task_state s where s.task_id = any(array[t.id])), false) as finished
      from removed t
    )
    select t.id::text as object, t.app, t.name, twinbell.audit_task(twinbell.full_task_of(t)) as before, 1 as items
    from removed t join gone n using (id) where not n.finished
    union all
    select case when count(*) = 1 then min(id)::text end, app, case when count(*) = 1 then min(name) end,
           case when count(*) > 1 then jsonb_build_object('finished', true, 'names', to_jsonb((array_agg(name order by id))[1:10]))
             else '{"finished": true}' end, count(*)
    from gone where finished group by app
  ) g, twinbell.audit_origin() o;
  return null;
end $$;
create trigger audit_removed after delete on twinbell.task referencing old table as removed
  for each statement execute function twinbell.audit_removed_tasks();

-- One entry for all tasks.
create function twinbell.audit_truncated() returns trigger
  language plpgsql security definer
as $$
begin
  perform twinbell.audit_act('TASK', null, null, null, 'REMOVE_ALL', null, 1);
  return null;
end $$;
create trigger audit_truncated after truncate on twinbell.task
  for each statement execute function twinbell.audit_truncated();

-- Pauses, resumes, errors and moves of a task. Claims change no version, and no state except to FINISHED, so they cause
-- no entry.
create function twinbell.audit_changed_state() returns trigger
  language plpgsql security definer
as $$
begin
  insert into twinbell.audit_entry (actor, channel, address, request, kind, object, app, name, act, before, after)
  select o.actor, o.channel, o.address, o.request, 'TASK', t.id::text, t.app, t.name,
         case when new.state = 'ERROR' then 'ERROR' when new.state = 'PAUSED' then 'PAUSE' when old.state = 'PAUSED' then 'RESUME'
           when new.state = 'FINISHED' then 'FINISH' when old.state <> new.state then 'ACTIVATE' else 'MOVE' end,
         twinbell.audit_task_state(old), twinbell.audit_task_state(new)
  from twinbell.task t, twinbell.audit_origin() o where t.id = new.task_id;
  return null;
end $$;
create trigger audit_changed after update of state, version on twinbell.task_state for each row
  when (new.state <> old.state and new.state <> 'FINISHED'
    or new.version <> old.version and (new.state <> old.state
      or new.state = 'PAUSED' and (new.state_reason, new.paused_by, new.paused_until)
        is distinct from (old.state_reason, old.paused_by, old.paused_until)
      or new.off_schedule and new.next_fire_time is distinct from old.next_fire_time))
  execute function twinbell.audit_changed_state();


-- Executions.

-- A run by hand, or a rerun of an execution that has ended.
create function twinbell.audit_rerun() returns trigger
  language plpgsql security definer
as $$
begin
  insert into twinbell.audit_entry (actor, channel, address, request, kind, object, app, name, act, before, after)
  select o.actor, o.channel, o.address, o.request, 'EXECUTION', new.task_id || '/' || twinbell.instant_text(new.fire_time),
         new.app, new.name, case tg_op when 'UPDATE' then 'RERUN' else 'TRIGGER' end,
         case tg_op when 'UPDATE' then jsonb_build_object('state', old.state, 'attempt', old.attempt) end,
         twinbell.audit_value(jsonb_strip_nulls(jsonb_build_object('state', new.state, 'attempt', new.attempt, 'reason', new.reason,
           'data', new.data)))
  from twinbell.audit_origin() o;
  return null;
end $$;
create trigger audit_trigger after insert on twinbell.execution for each row
  when (new.origin = 'TRIGGERED') execute function twinbell.audit_rerun();
create trigger audit_rerun after update on twinbell.execution for each row
  when (new.state = 'PENDING'
    and old.state in ('SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED', 'MISSED', 'DROPPED'))
  execute function twinbell.audit_rerun();

-- Requests of people; the argument is the act. Requests of nodes follow from the policies of tasks, and are in the
-- ledger.
create function twinbell.audit_request() returns trigger
  language plpgsql security definer
as $$
begin
  insert into twinbell.audit_entry (actor, channel, address, request, kind, object, app, name, act, after)
  select o.actor, o.channel, o.address, o.request, 'EXECUTION', new.task_id || '/' || twinbell.instant_text(new.fire_time),
         coalesce(e.app, t.app), coalesce(e.name, t.name), tg_argv[0], jsonb_build_object('reason', new.reason)
  from twinbell.audit_origin() o
    left join twinbell.execution e on e.task_id = new.task_id and e.fire_time = new.fire_time
    left join twinbell.task t on t.id = new.task_id
  where o.channel <> 'NODE';
  return null;
end $$;
create trigger audit_request after insert on twinbell.cancel_request
  for each row execute function twinbell.audit_request('CANCEL');
create trigger audit_request after insert on twinbell.release_request
  for each row execute function twinbell.audit_request('RELEASE');


-- All other objects. The arguments of both functions: the kind of object, the column that names it, and the columns
-- that entries do not show.

-- The row that changed.
create function twinbell.audit_object() returns trigger
  language plpgsql security definer
as $$
declare
  hidden constant text[] := string_to_array(tg_argv[2], ',');
  was constant jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  becomes constant jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  object constant text := coalesce(becomes, was) ->> tg_argv[1];
  act text := case tg_op when 'INSERT' then 'CREATE' when 'UPDATE' then 'CHANGE' else 'REMOVE' end;
begin
  if tg_op = 'UPDATE' and was = becomes then
    return null;
  end if;
  case tg_argv[0]
    when 'TOKEN' then
      if tg_op = 'UPDATE' and old.hash <> new.hash then
        act := 'ROTATE';
      end if;
    when 'PAUSE', 'STANDING_PAUSE' then
      if tg_op = 'DELETE' and old.resumed_at is not null or tg_op = 'UPDATE' and new.resumed_at = new.paused_until then
        -- It ended at the time that it was given, and its row is kept for a while.
        return null;
      end if;
      act := case when tg_op = 'INSERT' then 'PAUSE' when tg_op = 'DELETE' then 'REMOVE'
        when old.resumed_at is null and new.resumed_at is not null then 'RESUME' else 'CHANGE' end;
    when 'HOLD' then
      act := case when new.held_at is null then 'RELEASE' else 'HOLD' end;
    when 'ROLE' then
      act := 'MOVE';
    when 'DEFAULTS' then
      -- Removed defaults leave a row without content.
      act := case when new.content = '{}' then 'REMOVE' when was ->> 'content' is distinct from '{}' then act else 'CREATE' end;
    else
      null;
  end case;
  insert into twinbell.audit_entry (actor, channel, address, request, kind, object, app, act, before, after)
  select o.actor, o.channel, o.address, o.request, tg_argv[0], object,
         case when tg_argv[0] in ('LIMIT', 'STANDING_PAUSE', 'DEFAULTS') and object like 'app:%' then substr(object, 5)
           when tg_argv[0] in ('TOKEN', 'CALLER') then null else coalesce(becomes, was) ->> 'app' end, act,
         twinbell.audit_value(jsonb_strip_nulls(was - hidden)), twinbell.audit_value(jsonb_strip_nulls(becomes - hidden))
  from twinbell.audit_origin() o;
  return null;
end $$;

-- The rows of a table that is truncated. It runs before the statement, while the rows exist.
create function twinbell.audit_emptied() returns trigger
  language plpgsql security definer
as $$
begin
  execute format(
    'insert into twinbell.audit_entry (actor, channel, address, request, kind, object, app, act, before)
     select o.actor, o.channel, o.address, o.request, $1, r.was ->> $2,
            case when $1 in (''LIMIT'', ''STANDING_PAUSE'', ''DEFAULTS'') and r.was ->> $2 like ''app:%%'' then substr(r.was ->> $2, 5)
              when $1 in (''TOKEN'', ''CALLER'') then null else r.was ->> ''app'' end,
            case $1 when ''HOLD'' then ''RELEASE'' else ''REMOVE'' end,
            twinbell.audit_value(jsonb_strip_nulls(r.was - string_to_array($3, '','')))
     from (select to_jsonb(t) as was from twinbell.%I t) r, twinbell.audit_origin() o
     where case $1
       when ''DEFAULTS'' then r.was -> ''content'' <> ''{}''
       when ''HOLD'' then r.was ->> ''held_at'' is not null
       else r.was ->> ''resumed_at'' is null end
     order by r.was ->> $2', tg_table_name)
    using tg_argv[0], tg_argv[1], tg_argv[2];
  return null;
end $$;

do $$
declare
  t record;
begin
  for t in select * from (values
    ('calendar', 'CALENDAR', 'name', 'created_at,updated_at,source'),
    ('run_limit', 'LIMIT', 'key', 'created_at,updated_at'),
    ('alert', 'ALERT', 'name', 'created_at,updated_at'),
    ('standing_pause', 'STANDING_PAUSE', 'key', 'id'),
    ('firing_pause', 'PAUSE', 'id', ''),
    -- The roles that schedule from SQL, and the roles of nodes, which may state the author of a change.
    ('caller_right', 'CALLER', 'role', ''),
    ('node_role', 'CALLER', 'role', ''),
    -- These have conditions for the changes of a row.
    ('task_defaults', 'DEFAULTS', 'key', 'created_at,updated_at,followed_version'),
    ('takeover_hold', 'HOLD', '', 'id'),
    ('access_token', 'TOKEN', 'name', 'hash,old_hash,last_used_at')) as v(name, kind, object, hidden)
  loop
    execute format('create trigger audit_emptied before truncate on twinbell.%I for each statement'
      ' execute function twinbell.audit_emptied(%L, %L, %L)', t.name, t.kind, t.object, t.hidden);
    continue when t.kind in ('DEFAULTS', 'HOLD', 'TOKEN');
    execute format('create trigger audit_changed after insert or update or delete on twinbell.%I for each row'
      ' execute function twinbell.audit_object(%L, %L, %L)', t.name, t.kind, t.object, t.hidden);
  end loop;
end $$;

-- A removal is a change to empty content, and the later deletion of the empty row is none.
create trigger audit_changed after insert or update of content on twinbell.task_defaults
  for each row execute function twinbell.audit_object('DEFAULTS', 'key', 'created_at,updated_at,followed_version');
create trigger audit_deleted after delete on twinbell.task_defaults
  for each row when (old.content <> '{}')
  execute function twinbell.audit_object('DEFAULTS', 'key', 'created_at,updated_at,followed_version');

-- The deletion of a hold that was released is no change.
create trigger audit_changed after update on twinbell.takeover_hold
  for each row execute function twinbell.audit_object('HOLD', '', 'id');
create trigger audit_deleted after delete on twinbell.takeover_hold
  for each row when (old.held_at is not null) execute function twinbell.audit_object('HOLD', '', 'id');

-- The use of a token changes only last_used_at, which is no change.
create trigger audit_changed after insert or delete or update of name, hash, role, apps, grants, expires_at, old_hash
  on twinbell.access_token
  for each row execute function twinbell.audit_object('TOKEN', 'name', 'hash,old_hash,last_used_at');

create trigger audit_changed after insert on twinbell.hand_over_request
  for each row when (new.by_hand) execute function twinbell.audit_object('ROLE', 'to_node', 'id,by_hand');
create trigger audit_changed after update of cluster_id, name, system_identifier on twinbell.cluster
  for each row execute function twinbell.audit_object('PAIR', 'name', 'id,entry_key,oldest_build');

-- A promotion: a new epoch.
create function twinbell.audit_promotion() returns trigger
  language plpgsql security definer
as $$
begin
  insert into twinbell.audit_entry (actor, channel, address, kind, object, act, after)
  select o.actor, o.channel, o.address, 'ROLE', new.node, 'PROMOTE',
         jsonb_build_object('epoch', new.epoch, 'node', new.node, 'reason', e.reason)
  from twinbell.audit_origin() o, twinbell.epoch e;
  return null;
end $$;
create trigger audit_promotion after insert on twinbell.epoch_opening
  for each row execute function twinbell.audit_promotion();


-- The chain of seals.

-- The digest of an entry. It names every column of audit_entry.
create function twinbell.audit_digest(entry twinbell.audit_entry) returns bytea
  language sql immutable parallel safe
as $$
  select sha256(convert_to(jsonb_build_array(entry.id, (extract(epoch from entry.at) * 1000000)::bigint, entry.tx::text, entry.actor,
    entry.channel, entry.address, entry.request, entry.db_role, entry.kind, entry.object, entry.app, entry.name, entry.act,
    entry.before, entry.after, entry.outcome, entry.detail, entry.items)::text, 'UTF8'))
$$;

-- The hash of a seal.
create function twinbell.audit_chain(previous bytea, number bigint, day date, ids bigint[], digests bytea[])
  returns bytea
  language sql immutable parallel safe
as $$
  select sha256(previous || convert_to(jsonb_build_array(number, day - date '2000-01-01', to_jsonb(ids))::text, 'UTF8')
    || coalesce((select string_agg(d, ''::bytea order by n) from unnest(digests) with ordinality as u(d, n)), ''))
$$;

-- Seals the next entries, in the order of their transactions, and returns them, for the master. An entry whose
-- transaction may still have older ones beside it waits for these. Only days since shortly before the last seal are
-- searched: there may be hundreds.
create function twinbell.seal_audit(most integer) returns setof twinbell.audit_entry
  language plpgsql security definer
as $$
declare
  last twinbell.audit_seal;
  settled xid8 := pg_snapshot_xmin(pg_current_snapshot());
  is_restored boolean;
  entries twinbell.audit_entry[];
  sealed twinbell.audit_seal;
begin
  perform from twinbell.audit_head for update;
  select * into last from twinbell.audit_seal order by number desc limit 1;
  if not found then
    select h.number, '-infinity', '{}', '{}', '0', 0, 0, h.chain
      into last.number, last.day, last.ids, last.digests, last.last_tx, last.last_id, last.floor_id, last.chain from twinbell.audit_head h;
  end if;
  -- A restored database may be on a server that has not reached these transaction numbers. What came with it is settled.
  is_restored := last.last_tx >= pg_snapshot_xmax(pg_current_snapshot());
  for try in 1..2 loop
    select array_agg(e order by e.tx, e.id) into entries from (
      select * from twinbell.audit_entry e
      where (e.tx, e.id) > (last.last_tx, last.last_id) and e.id > last.floor_id and (is_restored or e.tx < settled)
        and e.at >= (last.day - 2)::timestamp at time zone 'UTC'
      order by e.tx, e.id limit most) e;
    exit when entries is not null or not is_restored;
    select coalesce(max(i), 0) into last.floor_id from twinbell.audit_seal s, unnest(s.ids) i;
    last.last_tx := '0';
    last.last_id := 0;
    is_restored := false;
  end loop;
  if entries is null then
    return;
  end if;
  select last.number + 1, greatest(last.day, max((e.at at time zone 'UTC')::date)), clock_timestamp(),
         array_agg(e.id order by e.n), array_agg(twinbell.audit_digest(entries[e.n]) order by e.n), last.floor_id, last.chain
    into sealed.number, sealed.day, sealed.sealed_at, sealed.ids, sealed.digests, sealed.floor_id, sealed.previous
  from unnest(entries) with ordinality as e(id, at, tx, actor, channel, address, request, db_role, kind, object, app, name, act,
    before, after, outcome, detail, items, n);
  sealed.last_tx := entries[cardinality(entries)].tx;
  sealed.last_id := entries[cardinality(entries)].id;
  sealed.chain := twinbell.audit_chain(sealed.previous, sealed.number, sealed.day, sealed.ids, sealed.digests);
  insert into twinbell.audit_seal select sealed.*;
  update twinbell.audit_head set number = sealed.number, chain = sealed.chain;
  return query select * from unnest(entries);
end $$;

-- Checks the next seals after a number, against the seal before and against their entries, for twinbell verify --audit.
create function twinbell.verify_audit(after bigint, most integer)
  returns table (number bigint, day date, entries integer, chain bytea, problems text[])
  language plpgsql stable
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  s twinbell.audit_seal;
  earlier twinbell.audit_seal;
  found_problems text[];
begin
  for s in select * from twinbell.audit_seal a where a.number > after order by a.number limit most loop
    problems := '{}';
    select * into earlier from twinbell.audit_seal a where a.number = s.number - 1;
    if earlier.number is not null then
      if s.previous <> earlier.chain or s.day < earlier.day then
        problems := problems || format('seal %s does not follow seal %s', s.number, earlier.number);
      end if;
    elsif exists (select from twinbell.audit_seal a where a.number < s.number) then
      problems := problems || format('seal %s is missing', s.number - 1);
    end if;
    if s.chain <> twinbell.audit_chain(s.previous, s.number, s.day, s.ids, s.digests) then
      problems := problems || format('seal %s was changed', s.number);
    end if;
    -- Without the seal before, it is unknown which entries are the first of this one.
    select coalesce(array_agg(problem order by id), '{}') into found_problems from (
      select coalesce(u.id, e.id) as id,
             case when e.id is null then format('entry %s is missing', u.id)
               when u.id is null then format('entry %s was added to seal %s', e.id, s.number)
               when u.digest <> twinbell.audit_digest(e.entry) then format('entry %s was changed', u.id)
               when u.place < max(u.place) over (order by e.tx, e.id) then format('entry %s was moved', u.id) end as problem
      from unnest(s.ids, s.digests) with ordinality as u(id, digest, place)
        full join (
          select a.id, a.tx, a as entry from twinbell.audit_entry a
          where (a.tx, a.id) <= (s.last_tx, s.last_id) and a.id > s.floor_id
            and (a.tx, a.id) > (case when earlier.number is null or earlier.floor_id <> s.floor_id then '0'::xid8 else earlier.last_tx end,
                                case when earlier.number is null or earlier.floor_id <> s.floor_id then 0 else earlier.last_id end)
            and (earlier.number is not null or a.id = any(s.ids))
        ) e on e.id = u.id
    ) c where problem is not null;
    problems := problems || found_problems[1:100];
    number := s.number;
    day := s.day;
    entries := cardinality(s.ids);
    chain := s.chain;
    return next;
  end loop;
end $$;

-- How many entries are not sealed yet, up to a bound, and whether the end of the chain is the one that was recorded.
create function twinbell.audit_end(most integer) returns table (entries bigint, oldest_seconds bigint, problem text)
  language sql stable
  set search_path = pg_catalog, pg_temp
as $$
  with last as (
    select s.* from twinbell.audit_seal s order by s.number desc limit 1
  ), unsealed as (
    select e.at from twinbell.audit_entry e
    where (e.tx, e.id) > (coalesce((select last_tx from last), '0'), coalesce((select last_id from last), 0))
      and e.id > coalesce((select floor_id from last), 0)
    order by e.tx, e.id limit most
  )
  select count(*), coalesce(floor(extract(epoch from clock_timestamp() - min(u.at))), 0)::bigint,
         (select case
            when h.number > 0 and l.number is null then format('all seals up to %s are missing', h.number)
            when l.number is distinct from h.number and h.number > 0
              then format('the last seal is %s, and %s was recorded as the last', l.number, h.number)
            when h.number = 0 and l.number is not null then 'the record of the last seal was reset'
            when l.chain <> h.chain then format('seal %s is not the one that was recorded as the last', l.number) end
          from twinbell.audit_head h left join last l on true)
  from unsealed u
$$;


select twinbell.ensure_audit_partitions();
