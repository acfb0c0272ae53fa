-- Scheduling from SQL, inside an application's own transaction. Cron can't be evaluated here, so a task arrives as it
-- was written, and the master reads it as the API would have, as of the transaction's time.

-- Tasks that the master has not looked at yet. A replacement is a whole task, which binds from then on.
create table twinbell.arrival (
  task_id     bigint primary key references twinbell.task on delete cascade,
  at          timestamptz not null,
  replacement jsonb check (octet_length(replacement::text) <= 1048576)
);

-- Tasks that were removed while slots of theirs were due: how many these are, their schedule tells.
create table twinbell.removal (
  id                 bigint generated always as identity primary key,
  task_id            bigint not null,
  app                text not null,
  name               text not null,
  handler_type       text not null,
  definition         jsonb not null,
  state              text not null,
  state_reason       text,
  paused_by          text,
  paused_until       timestamptz,
  next_fire_time     timestamptz,
  previous_fire_time timestamptz,
  -- Of one that the master had not looked at; its first fire time is still to be found.
  arrived_at         timestamptz,
  removed_at         timestamptz not null
);


-- Everything a task may have beside app, name, schedule and handler, and the JSON types that it may be written in.
create function twinbell.task_options() returns table (option text, type text)
  language sql immutable
as $$
  values ('owner', 'string'), ('tags', 'array'), ('enabled', 'boolean'), ('priority', 'number'), ('data', null),
         ('start', 'string'), ('end', 'string'), ('calendars', 'array'), ('maxRuns', 'number'), ('jitter', 'string'), ('timeout', 'string'),
         ('retry', 'object'), ('misfire', 'object'), ('overlap', null), ('orphan', 'string'), ('pauseOnFailure', 'number'),
         ('concurrencyKey', 'string'), ('then', 'array'), ('thenOnFailure', 'array'), ('ifExists', 'string')
$$;

create function twinbell.refuse(problem text, advice text default null) returns void
  language plpgsql
as $$
begin
  if advice is null then
    raise exception using errcode = 'invalid_parameter_value', message = problem;
  end if;
  raise exception using errcode = 'invalid_parameter_value', message = problem, hint = advice;
end $$;

create function twinbell.refuse_line(field text, line text) returns void
  language plpgsql
as $$
begin
  if line is null then
    perform twinbell.refuse(format('%s is required', field));
  elsif length(line) not between 1 and 200 then
    perform twinbell.refuse(format('%s must have 1 to 200 characters, not %s', field, length(line)));
  elsif line ~ '[\u0001-\u001f\u007f-\u009f]' then
    perform twinbell.refuse(format('%s must have no control characters', field));
  end if;
end $$;

create function twinbell.refuse_schedule(schedule jsonb) returns void
  language plpgsql
as $$
declare
  forms text[];
begin
  if jsonb_typeof(schedule) is distinct from 'object' then
    perform twinbell.refuse('schedule must be a JSON object', 'for example {"cron": "30 2 * * *"} or {"in": "PT48H"}');
  end if;
  select coalesce(array_agg(form), '{}') into forms
  from unnest(array['cron', 'every', 'at', 'in']) as form where schedule ? form;
  if cardinality(forms) <> 1 then
    perform twinbell.refuse('schedule must have exactly one of cron, every, at and in',
      format('it has %s', case when forms = '{}' then 'none' else array_to_string(forms, ', ') end));
  elsif jsonb_typeof(schedule -> forms[1]) <> 'string' then
    perform twinbell.refuse(format('schedule.%s must be a text', forms[1]));
  end if;
end $$;

create function twinbell.refuse_handler(handler jsonb) returns void
  language plpgsql
as $$
begin
  if jsonb_typeof(handler) is distinct from 'object' then
    perform twinbell.refuse('handler must be a JSON object', 'for example {"type": "log"}');
  elsif jsonb_typeof(handler -> 'type') is distinct from 'string' then
    perform twinbell.refuse('handler.type is required', 'one of http, sql, shell, java and log');
  elsif handler ->> 'type' not in ('http', 'sql', 'shell', 'java', 'log') then
    perform twinbell.refuse(format('there is no handler type "%s"', left(handler ->> 'type', 100)),
      'one of http, sql, shell, java and log');
  elsif handler ->> 'type' = 'java' then
    perform twinbell.refuse_line('handler.key', handler ->> 'key');
  end if;
end $$;

create function twinbell.refuse_options(options jsonb) returns void
  language plpgsql
as $$
declare
  given record;
begin
  if jsonb_typeof(options) <> 'object' then
    perform twinbell.refuse('options must be a JSON object', 'for example {"owner": "ops", "overlap": "ALLOW"}');
  end if;
  for given in
    select key, value, known.option, known.type
    from jsonb_each(options) left join twinbell.task_options() known on known.option = key
  loop
    if given.option is null then
      perform twinbell.refuse(format('unknown option "%s"', left(given.key, 100)),
        (select 'options are ' || string_agg(known.option, ', ') from twinbell.task_options() known));
    elsif given.type <> jsonb_typeof(given.value) and given.value <> 'null' then
      perform twinbell.refuse(
        format('option %s must be a JSON %s, not %s', given.key, given.type, jsonb_typeof(given.value)));
    end if;
  end loop;
  if options ->> 'owner' is not null then
    perform twinbell.refuse_line('option owner', options ->> 'owner');
  end if;
  if options ->> 'ifExists' not in ('REFUSE', 'KEEP', 'REPLACE') then
    perform twinbell.refuse('option ifExists must be REFUSE, KEEP or REPLACE');
  end if;
  if jsonb_typeof(options -> 'tags') = 'array' and (jsonb_array_length(options -> 'tags') > 50 or exists (
      select 1 from jsonb_array_elements(options -> 'tags') as tag
      where jsonb_typeof(tag) <> 'string' or length(tag #>> '{}') not between 1 and 100
        or tag #>> '{}' ~ '[\u0001-\u001f\u007f-\u009f]')) then
    perform twinbell.refuse(
      'option tags must be a list of at most 50 texts of 1 to 100 characters, none of them control characters');
  end if;
end $$;

-- The API's bound. What counts here is the text that PostgreSQL writes, which has some blanks more.
create function twinbell.refuse_payload(schedule jsonb, handler jsonb, options jsonb) returns void
  language plpgsql
as $$
declare
  bytes bigint := coalesce(octet_length((options -> 'data')::text), 0) + coalesce(octet_length(handler ->> 'body'), 0)
    + coalesce(octet_length((handler -> 'headers')::text), 0);
begin
  if bytes > 65536 then
    perform twinbell.refuse(
      format('data, handler body and headers have %s bytes together; the limit is 65536', bytes));
  end if;
  bytes := octet_length(schedule::text) + octet_length(handler::text) + octet_length(options::text);
  if bytes > 262144 then
    perform twinbell.refuse(format('the task has %s bytes; the limit is 262144', bytes));
  end if;
end $$;


-- What jsonb can keep, and whoever reads it back can't.
create function twinbell.refuse_unreadable(field text, document jsonb) returns void
  language plpgsql
as $$
begin
  if jsonb_path_exists(document, 'strict $.**{500}') then
    perform twinbell.refuse(format('%s is nested more than 500 levels deep', field));
  elsif exists (select 1 from jsonb_path_query(document, 'strict $.**') as part
                where jsonb_typeof(part) = 'number' and length(part::text) > 1000) then
    perform twinbell.refuse(format('%s has a number of more than 1000 digits', field));
  end if;
end $$;


-- Adds a task in the caller's transaction, and returns its id. ifExists says what becomes of a task that has the name
-- already: REFUSE (default) raises unique_violation, KEEP leaves it, REPLACE writes it anew as PUT would; the latter two
-- return its id. What only the master can find (a bad cron) puts the task into state ERROR.
create function twinbell.add_task(app text, name text, schedule jsonb, handler jsonb, options jsonb default '{}')
  returns bigint
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  given jsonb := coalesce(options, '{}');
  since timestamptz := date_trunc('milliseconds', now());
  start_text text := to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  written jsonb;
  labels text[];
  added bigint;
begin
  perform twinbell.refuse_line('app', add_task.app);
  perform twinbell.refuse_line('name', add_task.name);
  perform twinbell.refuse_schedule(add_task.schedule);
  perform twinbell.refuse_handler(add_task.handler);
  perform twinbell.refuse_options(given);
  perform twinbell.refuse_payload(add_task.schedule, add_task.handler, given);
  perform twinbell.refuse_unreadable('schedule', add_task.schedule);
  perform twinbell.refuse_unreadable('handler', add_task.handler);
  perform twinbell.refuse_unreadable('options', given);

  select coalesce(jsonb_object_agg(key, value), '{}') into given from jsonb_each(given) where value <> 'null';
  select coalesce(array_agg(distinct tag), '{}') into labels
  from jsonb_array_elements_text(coalesce(given -> 'tags', '[]')) as tag;
  written := jsonb_build_object('schedule', add_task.schedule, 'handler', add_task.handler)
    || (given - array['owner', 'tags', 'enabled', 'ifExists']);
  loop
    insert into twinbell.task as t (app, name, owner, tags, handler_type, handler_key, definition)
    values (add_task.app, add_task.name, given ->> 'owner', labels, add_task.handler ->> 'type',
            case when add_task.handler ->> 'type' = 'java' then add_task.handler ->> 'key' end,
            jsonb_build_object('start', start_text) || written)
    on conflict on constraint task_app_name_key do nothing
    returning t.id into added;
    if added is not null then
      insert into twinbell.task_state (task_id, state, state_reason)
      values (added, case when given -> 'enabled' = 'false' then 'PAUSED' else 'ACTIVE' end,
              case when given -> 'enabled' = 'false' then 'disabled' end);
      insert into twinbell.arrival (task_id, at) values (added, since);
      exit;
    end if;
    if coalesce(given ->> 'ifExists', 'REFUSE') = 'REFUSE' then
      raise exception using errcode = 'unique_violation',
        message = format('the app "%s" has a task named "%s" already', add_task.app, add_task.name),
        hint = 'option ifExists may say KEEP or REPLACE';
    end if;
    -- Held against removal until the end of the transaction; if it is gone already, it is added after all.
    select t.id into added from twinbell.task t where t.app = add_task.app and t.name = add_task.name for key share;
    if added is not null and given ->> 'ifExists' = 'KEEP' then
      return added;
    elsif added is not null then
      -- PUT keeps the start that it does not name; only what counts from it begins anew.
      insert into twinbell.arrival as a (task_id, at, replacement)
      values (added, since, case when add_task.schedule ? 'in' then jsonb_build_object('start', start_text)
                            else '{}' end
                            || written || (given - 'ifExists')
                            || jsonb_build_object('app', add_task.app, 'name', add_task.name))
      on conflict (task_id) do update set at = excluded.at, replacement = excluded.replacement;
      exit;
    end if;
  end loop;
  perform pg_notify('twinbell_ledger', '');
  return added;
end $$;

-- Removes a task in the caller's transaction; false if there is none. Its executions stay in the ledger, and slots that
-- were due and unclaimed are entered there.
create function twinbell.remove_task(id bigint) returns boolean
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  removed record;
begin
  -- The task's row first, as whoever edits does.
  perform 1 from twinbell.task t where t.id = remove_task.id for update;
  if not found then
    return false;
  end if;
  select t.app, t.name, t.handler_type, t.definition, s.state, s.state_reason, s.paused_by, s.paused_until,
         s.next_fire_time, s.previous_fire_time, a.at as arrived_at
  into removed
  from twinbell.task t join twinbell.task_state s on s.task_id = t.id left join twinbell.arrival a on a.task_id = t.id
  where t.id = remove_task.id for update of s;
  if removed.arrived_at is not null or removed.next_fire_time <= clock_timestamp() then
    insert into twinbell.removal (task_id, app, name, handler_type, definition, state, state_reason,
                                       paused_by, paused_until, next_fire_time, previous_fire_time, arrived_at, removed_at)
    values (remove_task.id, removed.app, removed.name, removed.handler_type, removed.definition, removed.state,
            removed.state_reason, removed.paused_by, removed.paused_until, removed.next_fire_time, removed.previous_fire_time, removed.arrived_at,
            clock_timestamp());
    perform pg_notify('twinbell_ledger', '');
  end if;
  delete from twinbell.task t where t.id = remove_task.id;
  perform pg_notify('twinbell_task', remove_task.id::text);
  return true;
end $$;

-- Whoever may call these may do what the API can do, so nobody may unless granted.
revoke all on function twinbell.add_task(text, text, jsonb, jsonb, jsonb), twinbell.remove_task(bigint) from public;


-- Chains: tasks that get a slot of their own when another one ends.

alter table twinbell.task add column chained boolean not null
  generated always as (definition ? 'then' or definition ? 'thenOnFailure') stored;
create index task_chained on twinbell.task (id) where chained;

-- Of a slot that a chain gave: the execution that ended, as the handler finds it in its data, and how deep the chain is.
alter table twinbell.execution add column parent jsonb;

-- The definition that a slot runs by: its task's, with the parent among the data.
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

-- Whether an instant may be one of the task's own fire times, which a chain must not stand in for. These are whole seconds
-- or lie on a grid from the start; in doubt an instant counts as planned, since the next millisecond is as good.
create function twinbell.may_be_planned(definition jsonb, next_fire_time timestamptz, instant timestamptz) returns boolean
  language plpgsql stable
as $$
declare
  since bigint;
  every bigint;
begin
  since := twinbell.millis(instant) - twinbell.millis((definition ->> 'start')::timestamptz);
  every := extract(epoch from (definition #>> '{schedule,every}')::interval) * 1000;
  return coalesce(instant = next_fire_time, false) or twinbell.millis(instant) % 10 = 0
    or coalesce(since % 10 = 0, false) or coalesce(every >= 10 and since % every = 0, false);
exception when others then
  -- The definition can't be read, so nothing is planned.
  return coalesce(instant = next_fire_time, false);
end $$;

-- Gives the task a slot at the first free millisecond. Returns why it could not, or null.
create function twinbell.chain(child_app text, child_name text, from_time timestamptz, because text, parent jsonb)
  returns text
  language plpgsql
as $$
declare
  child record;
  at timestamptz := date_trunc('milliseconds', from_time);
begin
  -- Without a lock: recording waits for nobody. A slot of a task that goes just now is cancelled when it is claimed.
  select t.id, t.definition, s.state, s.state_reason, s.next_fire_time into child
  from twinbell.task t join twinbell.task_state s on s.task_id = t.id
  where t.app = child_app and t.name = child_name;
  if not found then
    return 'there is no such task';
  elsif (parent ->> 'depth')::int > 100 then
    return 'the chain ends here, 100 executions after its first';
  end if;
  loop
    if not twinbell.may_be_planned(child.definition, child.next_fire_time, at) then
      insert into twinbell.execution (task_id, fire_time, app, name, origin, state, ended_at, reason, parent)
      values (child.id, at, child_app, child_name, 'CHAINED', case when child.state = 'PAUSED' then 'SKIPPED' else 'PENDING' end,
              case when child.state = 'PAUSED' then clock_timestamp() end,
              case when child.state = 'PAUSED' then because || ', but paused' || coalesce(': ' || child.state_reason, '')
              else because end, parent)
      on conflict do nothing;
      if found then
        return null;
      end if;
    end if;
    at := at + interval '1 millisecond';
  end loop;
end $$;

-- In the statement that records an outcome, so that a chain goes on exactly once.
create function twinbell.follow_chains() returns trigger
  language plpgsql
as $$
declare
  parent record;
  child record;
  problem text;
  is_given boolean := false;
begin
  if not exists (select 1 from twinbell.task where chained) then
    return null;
  end if;
  for parent in
    select n.task_id, n.fire_time, n.app, n.name, n.state, n.output, n.error, n.ended_at, n.parent,
           case n.state when 'SUCCEEDED' then 'then' else 'thenOnFailure' end as link, t.definition
    from after_it n join before_it o using (task_id, fire_time) join twinbell.task t on t.id = n.task_id
    where t.chained and n.state in ('SUCCEEDED', 'FAILED', 'TIMED_OUT') and o.state <> n.state
    order by n.task_id, n.fire_time
  loop
    for child in
      select value ->> 'app' as app, value ->> 'name' as name
      from jsonb_array_elements(coalesce(parent.definition -> parent.link, '[]'))
    loop
      problem := twinbell.chain(child.app, child.name, coalesce(parent.ended_at, clock_timestamp()),
        format('%s of %s/%s', parent.link, parent.app, parent.name),
        jsonb_build_object('task', jsonb_build_object('id', parent.task_id, 'app', parent.app, 'name', parent.name),
          'fireTime', to_char(parent.fire_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          'state', parent.state, 'output', parent.output, 'error', left(parent.error, 8192),
          'depth', coalesce((parent.parent ->> 'depth')::int, 0) + 1));
      is_given := is_given or problem is null;
      if problem is not null then
        update twinbell.execution e
        set note = left(concat_ws(E'\n', e.note, format('%s %s/%s: %s', parent.link, child.app, child.name, problem)), 4000)
        where e.task_id = parent.task_id and e.fire_time = parent.fire_time;
      end if;
    end loop;
  end loop;
  if is_given then
    perform pg_notify('twinbell_ledger', '');
  end if;
  return null;
end $$;
create trigger chains after update on twinbell.execution
  referencing old table as before_it new table as after_it
  for each statement execute function twinbell.follow_chains();
