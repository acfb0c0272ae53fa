-- Tasks that come in by SQL, for less.

-- What a task is kept with where it says nothing else, as the master would write it: of a java handler's task it has nothing
-- to write then, while other handlers have defaults of their own. If one of these changes one day, the master rewrites what
-- differs, and a test tells.
create function twinbell.usual_options() returns jsonb
  language sql immutable parallel safe
as $$
  select jsonb '{"misfire": {"policy": "FIRE_ONCE", "threshold": "PT30S"}, "retry": {"maxAttempts": 1}, "overlap": "SKIP",
    "orphan": "DROP", "priority": 5}'
$$;

-- As before, but for that.
create or replace function twinbell.add_task(app text, name text, schedule jsonb, handler jsonb, options jsonb default '{}')
  returns bigint
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  given jsonb := coalesce(options, '{}');
  since constant timestamptz := date_trunc('milliseconds', now());
  start_text constant text := to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  written jsonb;
  labels text[] := '{}';
  added bigint;
begin
  if twinbell.is_plain(add_task.app, add_task.name, add_task.schedule, add_task.handler, given) is not true then
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
  end if;
  written := jsonb_build_object('schedule', add_task.schedule, 'handler', add_task.handler)
    || (given - '{owner,tags,enabled,ifExists}'::text[]);
  loop
    insert into twinbell.task as t (app, name, owner, tags, handler_type, handler_key, definition)
    values (add_task.app, add_task.name, given ->> 'owner', labels, add_task.handler ->> 'type',
            case when add_task.handler ->> 'type' = 'java' then add_task.handler ->> 'key' end,
            twinbell.usual_options() || jsonb_build_object('start', start_text) || written)
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

-- The same; and the rows are entered as if no name were taken, which hardly ever is. To enter each beside what may be there
-- (on conflict do nothing) takes a look at the index before, and a word after it that it stays.
create or replace function twinbell.add_tasks(tasks jsonb) returns setof bigint
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  -- As many are compared with as many, whatever the number was when this was planned.
  set enable_nestloop = off
as $$
declare
  since constant timestamptz := date_trunc('milliseconds', now());
  usual constant jsonb := twinbell.usual_options()
    || jsonb_build_object('start', to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
  ids bigint[];
  place int;
  task jsonb;
  problem text;
  advice text;
begin
  if jsonb_typeof(tasks) is distinct from 'array' then
    perform twinbell.refuse('tasks must be a JSON array');
  elsif jsonb_array_length(tasks) > 10000 then
    perform twinbell.refuse(format('there are %s tasks; at most 10000 go in a call', jsonb_array_length(tasks)));
  end if;

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
    ), added as (
      -- Two that add the same names in one order wait for each other; in two orders they would deadlock.
      insert into twinbell.task (id, app, name, handler_type, handler_key, definition) overriding system value
      select id, app, name, handler ->> 'type', case when handler ->> 'type' = 'java' then handler ->> 'key' end,
             usual || written
      from plain order by app, name
    ), states as (
      insert into twinbell.task_state (task_id) select id from plain
    ), arrivals as (
      insert into twinbell.arrival (task_id, at) select id, since from plain
    )
    select array_agg(id order by n) into ids from items left join plain using (n);
  exception when unique_violation then
    -- Each by itself: the one that is there already is named below, unless it has gone meanwhile.
    ids := array_fill(null::bigint, array[jsonb_array_length(tasks)]);
  end;

  begin
    for place in select n from unnest(ids) with ordinality as missing(id, n) where id is null order by n loop
      task := tasks -> (place - 1);
      if jsonb_typeof(task) <> 'object' then
        perform twinbell.refuse('a task must be a JSON object');
      elsif jsonb_typeof(task -> 'app') not in ('string', 'null') or jsonb_typeof(task -> 'name') not in ('string', 'null') then
        perform twinbell.refuse('app and name must be texts');
      end if;
      ids[place] := twinbell.add_task(task ->> 'app', task ->> 'name', task -> 'schedule', task -> 'handler',
        task - '{app,name,schedule,handler}'::text[]);
    end loop;
  exception when invalid_parameter_value or unique_violation then
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
  return query select unnest(ids);
end $$;
revoke all on function twinbell.add_tasks(jsonb) from public;
