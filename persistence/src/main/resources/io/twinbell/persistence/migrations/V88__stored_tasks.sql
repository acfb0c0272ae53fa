-- add_task and add_tasks also tell whether each task is new: CREATED, KEPT or REPLACED, in the setting twinbell.stored, until
-- the end of the transaction. Their results stay as they are, because applications read ids there. A setting needs no
-- further grant. An older schema does not set it, so a newer client can call both.
create or replace function twinbell.add_task(app text, name text, schedule jsonb, handler jsonb, options jsonb default '{}')
  returns bigint
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
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

create or replace function twinbell.add_tasks(tasks jsonb) returns setof bigint
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  -- Both sides of the join have equally many rows, however many there were when the plan was made.
  set enable_nestloop = off
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

-- A replaced function loses its settings. These are the ones that V29 and V84 give the functions that applications call.
do $$
declare
  entry regprocedure;
  setting text;
begin
  for entry in select p.oid::regprocedure from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = 'twinbell' and p.proname in ('add_task', 'add_tasks') loop
    foreach setting in array array['standard_conforming_strings = on', 'array_nulls = on', 'transform_null_equals = off',
        'quote_all_identifiers = off', 'IntervalStyle = postgres', 'DateStyle = ISO', 'bytea_output = hex',
        'gin_fuzzy_search_limit = 0'] loop
      execute format('alter function %s set %s', entry, setting);
    end loop;
  end loop;
end $$;
