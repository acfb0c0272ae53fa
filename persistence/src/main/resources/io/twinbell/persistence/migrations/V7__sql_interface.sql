-- Scheduling from SQL. An application that uses the same database adds, removes and cancels tasks in the transaction
-- that makes the work necessary, and lists its executions and runs them again. The master reads what these functions
-- write after the commit. The statements of an sql task complete its execution in their own transaction.
--
-- Functions that applications call run with the rights of the owner of the schema, and no other role may call them
-- until it is granted. What each caller may do then is checked by twinbell.caller and the refuse_ functions for
-- callers.
--
-- Applications call them in sessions with any settings. Each such function sets its own, because with
-- standard_conforming_strings off, the backslashes of the patterns in it and in what it calls would be lost, and valid
-- tasks be refused. NULLs in arrays, comparisons with NULL, quoted names and the texts of values mean the same
-- everywhere.

-- Raises SQLSTATE 22023 with a message that names the problem, and advice as the hint. Called by all checks of
-- arguments.
create function twinbell.refuse(problem text, advice text default null) returns void
  language plpgsql
as $$
begin
  if advice is null then
    raise exception using errcode = 'invalid_parameter_value', message = problem;
  end if;
  raise exception using errcode = 'invalid_parameter_value', message = problem, hint = advice;
end $$;


-- Adding tasks. A task is written as the caller gives it, and the row in arrival tells the master to read it. The
-- master evaluates what SQL cannot, such as cron expressions, as of the transaction's time.

-- Whether a task needs no further check, as nearly all need none. It is stricter than the refuse_ functions and
-- cheaper. Where it is false or null, add_task calls them, and they say what is wrong. Called by add_task and
-- add_tasks.
create function twinbell.is_plain(app text, name text, schedule jsonb, handler jsonb, options jsonb) returns boolean
  language sql immutable parallel safe
as $$
  select length(app) between 1 and 200 and app ~ '^[\x20-\x7e]+$' and length(name) between 1 and 200 and name ~ '^[\x20-\x7e]+$'
    and jsonb_typeof(schedule) = 'object' and jsonb_typeof(handler) = 'object'
    and (schedule - 'in' = '{}' and schedule ->> 'in' ~ '^P(\d{1,3}D|T\d{1,4}[HMS])$'
      or schedule - 'every' = '{}' and schedule ->> 'every' ~ '^PT[1-9]\d{0,3}[HMS]$'
      or schedule - 'at' = '{}'
        and schedule ->> 'at' ~ '^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{3})?Z$')
    and jsonb_typeof(coalesce(schedule -> 'every', schedule -> 'at', schedule -> 'in')) = 'string'
    and (handler ->> 'type' = 'java' and handler - '{type,key}'::text[] = '{}' and jsonb_typeof(handler -> 'key') = 'string'
        and handler ->> 'key' ~ '^[\x20-\x7e]{1,200}$'
      or handler ->> 'type' = 'log' and handler - 'type' = '{}'
      or handler ->> 'type' = 'http' and handler - '{type,url,method,body}'::text[] = '{}'
        and jsonb_typeof(handler -> 'url') = 'string'
        -- Labels of up to 63 characters, and no four numbers but small ones.
        and handler ->> 'url' ~ '^https?://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*(:[1-9]\d{0,3})?(/[A-Za-z0-9/._~-]*)?$'
        and handler ->> 'url' !~ '^https?://[^/]{64}'
        and (handler ->> 'url' !~ '^https?://[0-9.]+([:/]|$)' or handler ->> 'url' ~ '^https?://(1?[0-9]{1,2}\.){3}1?[0-9]{1,2}([:/]|$)')
        and coalesce(handler ->> 'method' in ('GET', 'POST', 'PUT', 'DELETE', 'PATCH'), true)
        and coalesce(jsonb_typeof(handler -> 'method') = 'string', true)
        and coalesce(jsonb_typeof(handler -> 'body') = 'string' and handler ->> 'body' !~ '\$', true))
    and jsonb_typeof(handler -> 'type') = 'string'
    -- Too short for the depths and digits that nobody can read back, and for the bounds on the payload.
    and octet_length(handler::text) < 1000
    and (options = '{}' or jsonb_typeof(options) = 'object' and octet_length(options::text) < 1000
      and options - '{data,priority,overlap,orphan}'::text[] = '{}'
      and coalesce(jsonb_typeof(options -> 'data') <> 'null' and not jsonb_path_exists(options -> 'data', 'strict $.**{100}'), true)
      and coalesce(jsonb_typeof(options -> 'overlap') = 'string' and options ->> 'overlap' in ('ALLOW', 'SKIP', 'QUEUE', 'CANCEL_RUNNING'), true)
      and coalesce(jsonb_typeof(options -> 'orphan') = 'string' and options ->> 'orphan' in ('DROP', 'RERUN'), true)
      and coalesce(jsonb_typeof(options -> 'priority') = 'number' and options ->> 'priority' ~ '^[0-9]$', true))
$$;

-- Adds a task in the caller's transaction and returns its id. Called by applications, and by add_tasks for each task
-- that is not plain. The option ifExists says what happens if the app already has a task of that name: REFUSE (default)
-- raises unique_violation, KEEP leaves that task as it is, REPLACE replaces it as PUT does. KEEP and REPLACE return its
-- id. Until the end of the transaction, the setting twinbell.stored says what the call did: CREATED, KEPT or REPLACED.
-- What only the master can find, such as a cron expression that never fires, puts the task into state ERROR.
create function twinbell.add_task(app text, name text, schedule jsonb, handler jsonb, options jsonb default '{}')
  returns bigint
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on set array_nulls = on set transform_null_equals = off
  set quote_all_identifiers = off set intervalstyle = postgres set datestyle = iso set bytea_output = hex
  set gin_fuzzy_search_limit = 0
as $$
declare
  given jsonb := coalesce(options, '{}');
  since constant timestamptz := date_trunc('milliseconds', now());
  start_text constant text := to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  may record;
  written jsonb;
  labels text[] := '{}';
  added bigint;
  result text := 'CREATED';
begin
  if twinbell.is_plain(add_task.app, add_task.name, add_task.schedule, add_task.handler, given) is not true then
    perform twinbell.refuse_line('app', add_task.app);
    perform twinbell.refuse_line('name', add_task.name);
    perform twinbell.refuse_unreadable('schedule', add_task.schedule);
    perform twinbell.refuse_unreadable('handler', add_task.handler);
    perform twinbell.refuse_unreadable('options', given);
    perform twinbell.refuse_schedule(add_task.schedule);
    perform twinbell.refuse_handler(add_task.handler);
    perform twinbell.refuse_options(given);
    perform twinbell.refuse_payload(add_task.schedule, add_task.handler, given);
    perform twinbell.refuse_never(add_task.schedule, given);

    select coalesce(jsonb_object_agg(key, value), '{}') into given from jsonb_each(given) where value <> 'null';
    select coalesce(array_agg(distinct tag), '{}') into labels
    from jsonb_array_elements_text(coalesce(given -> 'tags', '[]')) as tag;
  end if;
  select * into may from twinbell.caller();
  perform twinbell.refuse_for_caller(may, add_task.app, add_task.handler, given);
  perform twinbell.warn_of_unknown_key(add_task.handler);
  written := jsonb_build_object('schedule', add_task.schedule, 'handler', add_task.handler)
    || (given - '{owner,tags,enabled,ifExists}'::text[]);
  loop
    insert into twinbell.task as t (app, name, owner, tags, handler_type, handler_key, definition)
    values (add_task.app, add_task.name, given ->> 'owner', labels, add_task.handler ->> 'type',
            case when add_task.handler ->> 'type' = 'java' then add_task.handler ->> 'key' end,
            twinbell.usual_options() - twinbell.defaulted(add_task.app) || jsonb_build_object('start', start_text) || written)
    on conflict on constraint task_app_name_key do nothing
    returning t.id into added;
    if added is not null then
      insert into twinbell.task_state (task_id, state, state_reason)
      values (added, case when given -> 'enabled' = 'false' then 'PAUSED' else 'ACTIVE' end,
              case when given -> 'enabled' = 'false' then 'disabled' end);
      insert into twinbell.arrival (task_id, at) values (added, since);
      exit;
    end if;
    -- A finished task does not keep its name: it is deleted, its executions stay, and the new task gets its own id. If the
    -- same instant is requested again, the finished task stays, as with PUT. The rows are locked against claims and edits.
    if exists (select 1 from twinbell.task t join twinbell.task_state s on s.task_id = t.id
               where t.app = add_task.app and t.name = add_task.name and s.state = 'FINISHED') then
      delete from twinbell.task t where t.id in (
        select t.id from twinbell.task t join twinbell.task_state s on s.task_id = t.id
        where t.app = add_task.app and t.name = add_task.name and s.state = 'FINISHED'
          and not exists (select 1 from twinbell.arrival a where a.task_id = t.id)
          and not coalesce(given ->> 'ifExists' = 'REPLACE' and add_task.schedule ? 'at'
            and (add_task.schedule ->> 'at')::timestamptz <= greatest(now(), s.previous_fire_time)
            and (t.definition #>> '{schedule,at}')::timestamptz = (add_task.schedule ->> 'at')::timestamptz, false)
        for update of t, s)
      returning t.id into added;
      if added is not null then
        perform pg_notify('twinbell_task', added::text);
        continue;
      end if;
    end if;
    if coalesce(given ->> 'ifExists', 'REFUSE') = 'REFUSE' then
      raise exception using errcode = 'unique_violation',
        message = format('app "%s" already has a task named "%s"', add_task.app, add_task.name),
        hint = 'set the option ifExists to KEEP or REPLACE to keep or replace that task';
    end if;
    -- The lock prevents a removal until the end of the transaction. If the task is already gone, the loop adds it.
    select t.id into added from twinbell.task t where t.app = add_task.app and t.name = add_task.name for key share;
    if added is not null and given ->> 'ifExists' = 'KEEP' then
      perform set_config('twinbell.stored', 'KEPT', true);
      return added;
    elsif added is not null then
      -- Like PUT, a replacement keeps the start unless it names one; only "in" counts from now.
      insert into twinbell.arrival as a (task_id, at, replacement)
      values (added, since, case when add_task.schedule ? 'in' then jsonb_build_object('start', start_text)
                            else '{}' end
                            || written || (given - 'ifExists')
                            || jsonb_build_object('app', add_task.app, 'name', add_task.name))
      on conflict (task_id) do update set at = excluded.at, replacement = excluded.replacement;
      result := 'REPLACED';
      exit;
    end if;
  end loop;
  perform pg_notify('twinbell_ledger', '');
  perform set_config('twinbell.stored', result, true);
  return added;
end $$;
revoke all on function twinbell.add_task(text, text, jsonb, jsonb, jsonb) from public;

-- Adds the tasks of a list in the caller's transaction, all of them or none, and returns their ids in its order. Called
-- by applications. Each element is a task as the API takes it, and may say ifExists. An error is that of add_task, with
-- the place of the task in the list before the message. The setting twinbell.stored has a word for each task, with
-- commas between them. Plain tasks are inserted together, as if no name were taken; if one is, each task is added on
-- its own.
create function twinbell.add_tasks(tasks jsonb) returns setof bigint
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  -- Both sides of the join have equally many rows, however many there were when the plan was made.
  set enable_nestloop = off
  set standard_conforming_strings = on set array_nulls = on set transform_null_equals = off
  set quote_all_identifiers = off set intervalstyle = postgres set datestyle = iso set bytea_output = hex
  set gin_fuzzy_search_limit = 0
as $$
declare
  since constant timestamptz := date_trunc('milliseconds', now());
  usual constant jsonb := twinbell.usual_options()
    || jsonb_build_object('start', to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
  has_defaults constant boolean := exists (select 1 from twinbell.task_defaults where content <> '{}');
  may record;
  ids bigint[];
  results text[];
  place int;
  task jsonb;
  problem text;
  advice text;
begin
  if jsonb_typeof(tasks) is distinct from 'array' then
    perform twinbell.refuse('tasks must be a JSON array');
  elsif jsonb_array_length(tasks) > 10000 then
    perform twinbell.refuse(format('tasks has %s elements; the limit for one call is 10000', jsonb_array_length(tasks)));
  end if;
  select * into may from twinbell.caller();

  begin
    with items as materialized (
      select n, item ->> 'app' as app, item ->> 'name' as name, item -> 'schedule' as schedule, item -> 'handler' as handler,
             item - '{app,name}'::text[] as written,
             jsonb_typeof(item -> 'app') = 'string' and jsonb_typeof(item -> 'name') = 'string' as is_named
      from (select n, case when jsonb_typeof(item) = 'object' then item else '{}' end as item
            from jsonb_array_elements(tasks) with ordinality as given(item, n)) as objects
    ), plain as materialized (
      select *, nextval('twinbell.task_id_seq') as id from items
      where is_named and twinbell.is_plain(app, name, schedule, handler, written - '{schedule,handler}'::text[])
        and handler ->> 'type' = any (may.handlers) and (may.apps is null or app = any (may.apps))
    ), added as (
      -- In one order, two transactions that add the same names wait for each other; in different orders they would deadlock.
      insert into twinbell.task (id, app, name, handler_type, handler_key, definition) overriding system value
      select id, app, name, handler ->> 'type', case when handler ->> 'type' = 'java' then handler ->> 'key' end,
             case when has_defaults then usual - twinbell.defaulted(app) else usual end || written
      from plain order by app, name
    ), states as (
      insert into twinbell.task_state (task_id) select id from plain
    ), arrivals as (
      insert into twinbell.arrival (task_id, at) select id, since from plain
    )
    select array_agg(id order by n) into ids from items left join plain using (n);
  exception when unique_violation then
    -- Adds each task on its own below, so that the error names the task that exists.
    ids := array_fill(null::bigint, array[jsonb_array_length(tasks)]);
  end;

  results := array_fill('CREATED'::text, array[coalesce(cardinality(ids), 0)]);
  perform twinbell.warn_of_unknown_key(handler) from (
    select distinct item -> 'handler' as handler from jsonb_array_elements(tasks) as item
    where jsonb_typeof(item) = 'object' and item #>> '{handler,type}' = 'java' and item #>> '{handler,key}' <> 'twinbell.noop'
    limit 100) as keys;

  begin
    for place in select n from unnest(ids) with ordinality as missing(id, n) where id is null order by n loop
      task := tasks -> (place - 1);
      if jsonb_typeof(task) <> 'object' then
        perform twinbell.refuse('a task must be a JSON object');
      elsif jsonb_typeof(task -> 'app') not in ('string', 'null') or jsonb_typeof(task -> 'name') not in ('string', 'null') then
        perform twinbell.refuse('app and name must be strings');
      end if;
      ids[place] := twinbell.add_task(task ->> 'app', task ->> 'name', task -> 'schedule', task -> 'handler',
        task - '{app,name,schedule,handler}'::text[]);
      results[place] := current_setting('twinbell.stored');
    end loop;
  exception when invalid_parameter_value or unique_violation or insufficient_privilege then
    get stacked diagnostics problem = message_text, advice = pg_exception_hint;
    problem := format('/%s: %s', place - 1, problem);
    if advice = '' then
      raise exception using errcode = sqlstate, message = problem;
    end if;
    raise exception using errcode = sqlstate, message = problem, hint = advice;
  end;

  if cardinality(ids) > 0 then
    perform pg_notify('twinbell_ledger', '');
  end if;
  perform set_config('twinbell.stored', array_to_string(results, ','), true);
  return query select unnest(ids);
end $$;
revoke all on function twinbell.add_tasks(jsonb) from public;

-- How many tasks of an app the audit has as created in the last minute. Called by check_quotas.
create function twinbell.adds_of_last_minute(of_app text) returns bigint
  language plpgsql stable
as $$
declare
  -- A variable, so that only the days since then are searched.
  since constant timestamptz := clock_timestamp() - interval '1 minute';
begin
  return (select coalesce(sum(e.items), 0) from twinbell.audit_entry e
          where e.app = of_app and e.at > since and e.kind = 'TASK' and e.act = 'CREATE');
end $$;


-- Removing tasks. The executions of a removed task stay in the ledger.

-- Removes a task in the caller's transaction. Returns false if there is none. If slots of the task are due and
-- unclaimed, or the master has not read the task yet, a row in removal tells the master to enter them in the ledger.
-- Called by applications and by cancel_task.
create function twinbell.remove_task(id bigint) returns boolean
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on set array_nulls = on set transform_null_equals = off
  set quote_all_identifiers = off set intervalstyle = postgres set datestyle = iso set bytea_output = hex
  set gin_fuzzy_search_limit = 0
as $$
declare
  removed record;
  may record;
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
  select * into may from twinbell.caller();
  perform twinbell.refuse_caller(may, format('in the app "%s"', removed.app), may.apps is null or removed.app = any (may.apps));
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
revoke all on function twinbell.remove_task(bigint) from public;

-- Removes a task by its app and name. Called by applications.
create function twinbell.remove_task(app text, name text) returns boolean
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on set array_nulls = on set transform_null_equals = off
  set quote_all_identifiers = off set intervalstyle = postgres set datestyle = iso set bytea_output = hex
  set gin_fuzzy_search_limit = 0
as $$
declare
  found_id constant bigint := (select t.id from twinbell.task t where t.app = remove_task.app and t.name = remove_task.name);
begin
  return found_id is not null and twinbell.remove_task(found_id);
end $$;
revoke all on function twinbell.remove_task(text, text) from public;

-- Removes a task as remove_task does, if it has yet to fire. Returns false, and changes nothing, if there is no such
-- task or if it has fired for the last time: its retries go on, and after a crash of the node it can run again. A task
-- that is claimed for the last time counts as fired. Called by applications.
create function twinbell.cancel_task(app text, name text) returns boolean
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on set array_nulls = on set transform_null_equals = off
  set quote_all_identifiers = off set intervalstyle = postgres set datestyle = iso set bytea_output = hex
  set gin_fuzzy_search_limit = 0 set extra_float_digits = 1
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
revoke all on function twinbell.cancel_task(text, text) from public;


-- Executions: an application lists those of an app and runs ended ones again.

-- An execution as the HTTP API lists it. Called by list_executions and rerun_execution.
create function twinbell.execution_json(e twinbell.execution) returns jsonb
  language sql stable
as $$
  select jsonb_build_object('id', e.task_id || '-' || twinbell.millis(e.fire_time), 'taskId', e.task_id, 'app', e.app, 'name', e.name,
      'fireTime', twinbell.instant_text(e.fire_time), 'state', e.state, 'attempt', e.attempt, 'node', e.node, 'epoch', e.epoch,
      'claimedAt', twinbell.instant_text(e.claimed_at), 'startedAt', twinbell.instant_text(e.started_at),
      'endedAt', twinbell.instant_text(e.ended_at),
      'latenessMillis', case when d.reruns = 0 and coalesce(e.origin, 'CHAINED') = 'CHAINED'
        then twinbell.millis(e.started_at) - twinbell.millis(e.fire_time) end,
      'output', e.output, 'error', e.error, 'errorCode', e.error_code,
      'reason', nullif(concat_ws('; ', e.reason, case
        when e.held_by like E'\x01handler:%'
          then 'waits for a master that has a java handler under the key "' || substr(e.held_by, 10) || '"'
        when e.held_by like E'\x01quota:%' then 'waits because the app has used its quotas.firesPerMinute'
        else 'waits for room under the limit "' || e.held_by || '"' end), ''))
    || jsonb_strip_nulls(jsonb_build_object('untilFireTime', twinbell.instant_text(e.until_fire_time),
      'slots', case when e.until_fire_time is not null then e.slots end, 'origin', e.origin, 'snoozes', nullif(e.snoozes, 0),
      'reruns', nullif(d.reruns, 0), 'nextAttemptAt', case e.state when 'RETRYING' then twinbell.instant_text(e.due_at) end,
      'callbackUntil', case e.state when 'RUNNING' then (select twinbell.instant_text(p.expires_at) from twinbell.parked p
        where p.task_id = e.task_id and p.fire_time = e.fire_time and p.attempt = e.attempt and p.is_out and p.answer is null
          and p.over_at is null) end,
      'note', e.note, 'progress', e.progress, 'log', e.log))
    || case when e.progress is null then '{}' else jsonb_build_object('progressMessage', e.progress_message) end
  from (select coalesce(e.reruns, case when e.origin is null and e.attempt = 1 and e.in_turn and not e.queued then 1 else 0 end) as reruns) d
$$;
revoke all on function twinbell.execution_json(twinbell.execution) from public;

-- Checks a selection and returns the condition that it means for rows e of twinbell.execution. The values are literals,
-- because PostgreSQL uses a partial index only if they are known when the statement is planned. Called by
-- list_executions and rerun_executions.
create function twinbell.execution_condition(app text, selection jsonb) returns text
  language plpgsql stable
as $$
declare
  states constant text[] := '{PENDING,CLAIMED,RUNNING,RETRYING,SUCCEEDED,FAILED,TIMED_OUT,CANCELLED,SKIPPED,MISSED,DROPPED}';
  given constant jsonb := jsonb_strip_nulls(selection);
  known constant text := ' and e.task_id in (select t.id from twinbell.task t where t.%1$I = %2$L'
    ' union all select r.task_id from twinbell.removed_task r where r.%1$I = %2$L)';
  each_state jsonb;
begin
  perform twinbell.refuse_line('app', app);
  if jsonb_typeof(given) is distinct from 'object' then
    perform twinbell.refuse('the selection must be a JSON object', 'for example {"state": ["FAILED", "TIMED_OUT"]}');
  end if;
  perform twinbell.refuse_others('the selection', given, '{name,state,errorCode,from,until}');
  perform twinbell.refuse_type('name', given -> 'name', 'string');
  perform twinbell.refuse_type('errorCode', given -> 'errorCode', 'string');
  perform twinbell.refuse_list('state', given -> 'state', cardinality(states), 'states such as FAILED');
  for each_state in select * from jsonb_array_elements(coalesce(given -> 'state', '[]')) loop
    if each_state = 'null' then
      perform twinbell.refuse('state must not contain null');
    end if;
    perform twinbell.refuse_choice('state', each_state, states);
  end loop;
  return format(' where e.app = %L', app) || format(known, 'app', app)
    || case when given ? 'name' then format(known, 'name', given ->> 'name') else '' end
    || case when given ? 'state' then format(' and e.state in (%s)',
        (select string_agg(quote_literal(s), ', ') from jsonb_array_elements_text(given -> 'state') s)) else '' end
    || case when given ? 'errorCode' then format(' and e.error_code = %L', given ->> 'errorCode') else '' end
    || case when given ? 'from' then format(' and e.fire_time >= twinbell.instant(%s)',
        twinbell.millis(twinbell.instant_of('from', given -> 'from'))) else '' end
    || case when given ? 'until' then format(' and e.fire_time < twinbell.instant(%s)',
        twinbell.millis(twinbell.instant_of('until', given -> 'until'))) else '' end;
end $$;
revoke all on function twinbell.execution_condition(text, jsonb) from public;

-- The executions of an app that match a selection, the newest fire time first. The argument after is the last id of the
-- previous page. Called by applications.
create function twinbell.list_executions(app text, selection jsonb default '{}', most integer default 100,
    after text default null) returns setof jsonb
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on set array_nulls = on set transform_null_equals = off
  set quote_all_identifiers = off set intervalstyle = postgres set datestyle = iso set bytea_output = hex
  set gin_fuzzy_search_limit = 0 set extra_float_digits = 1
as $$
declare
  condition constant text := twinbell.execution_condition(app, selection);
  place constant text[] := regexp_match(after, '^(\d{1,18})-(\d{1,13})$');
  may record;
begin
  select * into may from twinbell.caller();
  perform twinbell.refuse_other_app(may, app);
  if (most between 1 and 10000) is not true then
    perform twinbell.refuse(format('most must be 1 to 10000, not %s', coalesce(most::text, 'null')));
  elsif after is not null and place is null then
    perform twinbell.refuse(format('"%s" is not the id of an execution', left(after, 100)), 'after is the last id of the previous page');
  end if;
  return query execute 'select twinbell.execution_json(e) from twinbell.execution e' || condition
    || case when after is null then ''
         else format(' and (e.fire_time, e.task_id) < (twinbell.instant(%s), %s)', place[2], place[1]) end
    || ' order by e.fire_time desc, e.task_id desc limit ' || most;
end $$;
revoke all on function twinbell.list_executions(text, jsonb, integer, text) from public;

-- The reason that a rerun has in the ledger. Like every other reason, it must have no hidden characters. Called by
-- rerun_execution and rerun_executions.
create function twinbell.rerun_reason(reason text) returns text
  language plpgsql
as $$
begin
  if length(reason) > 500 then
    perform twinbell.refuse(format('reason must have at most 500 characters, not %s', length(reason)));
  elsif twinbell.has_hidden_characters(reason) then
    perform twinbell.refuse('reason must not contain control characters',
      'line separators and invisible characters such as U+200E and U+FEFF are control characters too');
  end if;
  return concat_ws(': ', 'run again by hand', reason);
end $$;
revoke all on function twinbell.rerun_reason(text) from public;

-- Makes ended executions PENDING again, as the next attempts of their slots, and returns their number. Called by
-- rerun_execution, rerun_executions and nodes, which have locked the rows and checked that they may run again. A slot
-- that never started keeps its first attempt; a finished attempt is added to the earlier ones. After a success the work
-- begins from the start, without the checkpoint.
create function twinbell.rerun_slots(of_tasks bigint[], of_fires timestamptz[], why text) returns integer
  language plpgsql
as $$
declare
  changed integer;
begin
  update twinbell.execution e
  set attempts = case when e.state in ('SKIPPED', 'MISSED') then e.attempts
        else twinbell.with_attempt(e.attempts, e.attempt, e.state, e.node, e.epoch, e.started_at, e.ended_at,
                                   e.error, e.error_code, e.reason) end,
      attempt = e.attempt + case when e.state in ('SKIPPED', 'MISSED') then 0 else 1 end,
      reruns = coalesce(e.reruns, 0) + 1,
      state = 'PENDING', in_turn = true, queued = false, due_at = null, epoch = null, node = null, batch = null,
      claimed_at = null, started_at = null, ended_at = null, output = null, error = null,
      error_code = null, snoozed_since = null, reason = why,
      checkpoint = case when e.state = 'SUCCEEDED' then null else e.checkpoint end
  from unnest(of_tasks, of_fires) as w(task_id, fire_time)
  where e.task_id = w.task_id and e.fire_time = w.fire_time
    and e.state in ('SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED', 'MISSED', 'DROPPED') and e.slots = 1;
  get diagnostics changed = row_count;
  perform pg_notify('twinbell_ledger', '');
  return changed;
end $$;
revoke all on function twinbell.rerun_slots(bigint[], timestamptz[], text) from public;

-- Runs an ended execution again and returns it as the HTTP API does. The caller needs the rights to store its task.
-- Called by applications.
create function twinbell.rerun_execution(id text, reason text default null) returns jsonb
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on set array_nulls = on set transform_null_equals = off
  set quote_all_identifiers = off set intervalstyle = postgres set datestyle = iso set bytea_output = hex
  set gin_fuzzy_search_limit = 0 set extra_float_digits = 1
as $$
declare
  why constant text := twinbell.rerun_reason(reason);
  slot constant text[] := regexp_match(id, '^(\d{1,18})-(\d{1,13})$');
  of_task constant bigint := slot[1];
  fire constant timestamptz := twinbell.instant(slot[2]::bigint);
  e twinbell.execution;
  task twinbell.task;
  may record;
  obstacle text;
begin
  select * into e from twinbell.execution x where x.task_id = of_task and x.fire_time = fire for update;
  select * into task from twinbell.task t where t.id = of_task;
  if e.task_id is null and twinbell.is_in_batch(of_task, fire) then
    e.app := coalesce(task.app, (select r.app from twinbell.removed_task r where r.task_id = of_task));
    e.state := 'CLAIMED';
  elsif e.task_id is null then
    raise exception using errcode = 'no_data_found', message = format('there is no execution %s', left(id, 100));
  end if;
  select * into may from twinbell.caller();
  perform twinbell.refuse_other_app(may, e.app);
  obstacle := case when e.state in ('PENDING', 'CLAIMED', 'RUNNING', 'RETRYING') then 'it has not ended: ' || e.state
    when e.slots > 1 then format('it represents %s slots', e.slots)
    when task.id is null then 'its task was removed' end;
  if obstacle is not null then
    raise exception using errcode = 'object_not_in_prerequisite_state',
      message = format('execution %s cannot run again: %s', id, obstacle);
  end if;
  perform twinbell.refuse_for_caller(may, task.app, task.definition -> 'handler', task.definition);
  perform twinbell.rerun_slots(array[of_task], array[fire], why);
  select * into e from twinbell.execution x where x.task_id = of_task and x.fire_time = fire;
  return twinbell.execution_json(e) || jsonb_strip_nulls(jsonb_build_object('checkpoint', e.checkpoint::jsonb))
    || jsonb_build_object('attempts', (
      select coalesce(jsonb_agg(a || jsonb_strip_nulls(jsonb_build_object(
        'startedAt', twinbell.instant_text(twinbell.instant((a ->> 'startedAt')::bigint)),
        'endedAt', twinbell.instant_text(twinbell.instant((a ->> 'endedAt')::bigint)))) order by n), '[]')
      from jsonb_array_elements(e.attempts) with ordinality as x(a, n)));
end $$;
revoke all on function twinbell.rerun_execution(text, text) from public;

-- Runs the ended executions of an app that match a selection again, oldest first, at most 10,000, and returns their
-- number. The caller needs the rights to store each of their tasks. Called by applications.
create function twinbell.rerun_executions(app text, selection jsonb, reason text default null) returns integer
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on set array_nulls = on set transform_null_equals = off
  set quote_all_identifiers = off set intervalstyle = postgres set datestyle = iso set bytea_output = hex
  set gin_fuzzy_search_limit = 0 set extra_float_digits = 1
as $$
declare
  why constant text := twinbell.rerun_reason(reason);
  condition constant text := twinbell.execution_condition(app, selection);
  may record;
  tasks bigint[];
  fires timestamptz[];
begin
  select * into may from twinbell.caller();
  perform twinbell.refuse_other_app(may, app);
  if coalesce(selection -> 'state', 'null') = 'null' or selection -> 'state' ?| '{PENDING,CLAIMED,RUNNING,RETRYING}' then
    perform twinbell.refuse('state must name final states only', 'for example ["FAILED", "TIMED_OUT"]');
  end if;
  -- In key order, so that two concurrent calls do not deadlock.
  execute 'select array_agg(w.task_id), array_agg(w.fire_time) from (select e.task_id, e.fire_time from twinbell.execution e'
    || condition || ' and e.slots = 1 and exists (select 1 from twinbell.task t where t.id = e.task_id)'
      ' order by e.fire_time, e.task_id limit 10000 for update of e) w'
  into tasks, fires;
  perform twinbell.refuse_for_caller(may, t.app, t.definition -> 'handler', t.definition) from twinbell.task t where t.id = any (tasks);
  return twinbell.rerun_slots(tasks, fires, why);
end $$;
revoke all on function twinbell.rerun_executions(text, jsonb, text) from public;


-- Sql tasks. Their statements run in sessions of a role with fewer rights (handlers.sql.user). That role can neither
-- read nor write this schema. It may call one function, which completes the execution that its transaction is for.

-- Records the success of an execution in the transaction that did its work. Called by the node that runs it. The node
-- makes the proof for this execution, attempt and transaction, and sends it after the statements, so that no statement
-- of a task sees it or an owner token. A call without a valid proof locks nothing. Returns COMMITTED, or why the
-- transaction has to be rolled back: SUPERSEDED, ENDED_BEFORE.
create function twinbell.complete_sql_task(of_task bigint, of_fire bigint, of_attempt integer, of_epoch bigint,
    started_micros bigint, ended_micros bigint, told text, given_proof bytea) returns text
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  -- Triggers run in this function too. These settings keep a task's session settings from affecting them.
  set timezone = 'UTC' set datestyle = iso set intervalstyle = postgres set jit = off
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  set enable_indexscan = on set enable_nestloop = on set row_security = on
  set standard_conforming_strings = on set array_nulls = on set transform_null_equals = off
  set quote_all_identifiers = off set bytea_output = hex set gin_fuzzy_search_limit = 0
as $$
declare
  current_token uuid;
  written bigint;
begin
  select case when e.epoch = of_epoch then e.owner_token
         else (select d.token from twinbell.drains(e) d where d.epoch = of_epoch) end
  into current_token from twinbell.epoch e where e.id = 1;
  if current_token is null then
    return 'SUPERSEDED';
  elsif given_proof is distinct from twinbell.proof(current_token,
      concat_ws('/', of_task, of_fire, of_attempt, of_epoch, pg_current_xact_id())) then
    raise exception using errcode = 'insufficient_privilege',
      message = 'only the node that runs an execution can complete it, in the transaction of its work';
  end if;
  delete from twinbell.failure_streak where task_id = of_task;
  -- Done before the guard, so that the guard is not held while another session spreads the same batch.
  if exists (select 1 from twinbell.claim_batch) then
    perform twinbell.spread_batches(of_tasks => array[of_task]);
  end if;
  perform 1 from twinbell.epoch e where e.id = 1 and ((e.epoch = of_epoch and e.owner_token = current_token)
    or exists (select 1 from twinbell.drains(e) d where d.epoch = of_epoch and d.token = current_token))
  for share of e;
  if not found then
    return 'SUPERSEDED';
  end if;
  update twinbell.execution e
  set state = 'SUCCEEDED', started_at = to_timestamp(started_micros / 1000000.0::float8),
      ended_at = to_timestamp(ended_micros / 1000000.0::float8), output = told, error = null, error_code = null, due_at = null,
      changed = pg_current_xact_id()
  where twinbell.same(e.task_id, of_task) and twinbell.same(e.fire_time, twinbell.instant(of_fire))
    and e.attempt = of_attempt and e.epoch = of_epoch and e.state || '' in ('CLAIMED', 'RUNNING');
  get diagnostics written = row_count;
  return case written when 1 then 'COMMITTED' else 'ENDED_BEFORE' end;
end $$;
revoke all on function
  twinbell.complete_sql_task(bigint, bigint, integer, bigint, bigint, bigint, text, bytea) from public;


-- Rights of nodes that do not own the schema.

-- Gives the roles of nodes (node_role) their rights on all objects of the schema. Called after each migration and by
-- admit_node. Days of the ledger and of the audit are reached through their parents. Trigger functions are left out: a
-- role that may call one can attach it to a table of its own and have its casts run with the rights of the owner.
create function twinbell.grant_to_nodes() returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  read_only constant name[] := '{node_role,flyway_schema_history,caller_right,audit_entry,audit_entry_default,audit_seal,audit_head}';
  of_owner constant name[] := '{grant_to_nodes,admit_node,allow_caller,ensure_partition,ensure_audit_partition}';
  node name;
  object record;
begin
  for node in select n.role from twinbell.node_role n join pg_roles r on r.rolname = n.role loop
    execute format('grant usage on schema twinbell to %I', node);
    for object in
      select c.relname, c.relkind from pg_class c
      where c.relnamespace = 'twinbell'::regnamespace and c.relkind in ('r', 'p', 'v', 'S')
        and c.relname !~ '^(execution|audit_entry)_[0-9]{8}$' and c.relname !~ '^audit_entry_id_seq'
    loop
      execute format('grant %s on twinbell.%I to %I',
        case when object.relkind = 'S' then 'usage, select, update'
          when object.relkind = 'v' or object.relname = any (read_only) then 'select'
          else 'select, insert, update, delete' end,
        object.relname, node);
    end loop;
    for object in
      select p.oid::regprocedure as name from pg_proc p
      where p.pronamespace = 'twinbell'::regnamespace and p.proname <> all (of_owner)
        and p.prorettype <> 'trigger'::regtype
        and not has_function_privilege(node, p.oid, 'EXECUTE')
    loop
      execute format('grant execute on function %s to %I', object.name, node);
    end loop;
  end loop;
end $$;
revoke all on function twinbell.grant_to_nodes() from public;
