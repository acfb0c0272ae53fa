-- Many tasks at once, and each of them cheaply.

-- A foreign key looks its task up for each row, by a plan that a session keeps: one made while the table was empty reads all
-- of it, row after row. These rows are only ever written together with their task, or while it is held; here they go with it.
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
alter table twinbell.task_state drop constraint task_state_task_id_fkey;
alter table twinbell.arrival drop constraint arrival_task_id_fkey;

-- Written out only where it could be too long.
alter table twinbell.task
  drop constraint task_definition_check,
  add constraint task_definition_check
    check (pg_column_size(definition) < 8192 or octet_length(definition::text) <= 1048576) not valid;


-- Whether a task is one of those, by far the most, that have nothing to be refused and nothing to be looked at more closely.
-- What is false or null is for the refuse_ functions, which say why.
create function twinbell.is_plain(app text, name text, schedule jsonb, handler jsonb, options jsonb) returns boolean
  language sql immutable parallel safe
as $$
  select length(app) between 1 and 200 and app !~ '[\u0001-\u001f\u007f-\u009f]'
    and length(name) between 1 and 200 and name !~ '[\u0001-\u001f\u007f-\u009f]'
    and jsonb_typeof(schedule) = 'object'
    and (schedule ? 'cron')::int + (schedule ? 'every')::int + (schedule ? 'at')::int + (schedule ? 'in')::int = 1
    and jsonb_typeof(coalesce(schedule -> 'cron', schedule -> 'every', schedule -> 'at', schedule -> 'in')) = 'string'
    and jsonb_typeof(handler) = 'object' and jsonb_typeof(handler -> 'type') = 'string'
    and (handler ->> 'type' in ('http', 'sql', 'shell', 'log') or handler ->> 'type' = 'java'
      and length(handler ->> 'key') between 1 and 200 and handler ->> 'key' !~ '[\u0001-\u001f\u007f-\u009f]')
    -- Too short for the depths and digits that nobody can read back, and for the bounds on the payload.
    and octet_length(schedule::text) < 1000 and octet_length(handler::text) < 1000
    and (options = '{}' or jsonb_typeof(options) = 'object' and octet_length(options::text) < 1000
      and options - '{data,priority,maxRuns,pauseOnFailure,retry,misfire,overlap,orphan,timeout,jitter,concurrencyKey}'::text[]
        = '{}'
      and coalesce(jsonb_typeof(options -> 'data') <> 'null', true)
      and coalesce(jsonb_typeof(options -> 'overlap') <> 'null', true)
      and coalesce(jsonb_typeof(options -> 'priority') = 'number', true)
      and coalesce(jsonb_typeof(options -> 'maxRuns') = 'number', true)
      and coalesce(jsonb_typeof(options -> 'pauseOnFailure') = 'number', true)
      and coalesce(jsonb_typeof(options -> 'retry') = 'object', true)
      and coalesce(jsonb_typeof(options -> 'misfire') = 'object', true)
      and coalesce(jsonb_typeof(options -> 'orphan') = 'string', true)
      and coalesce(jsonb_typeof(options -> 'timeout') = 'string', true)
      and coalesce(jsonb_typeof(options -> 'jitter') = 'string', true)
      and coalesce(jsonb_typeof(options -> 'concurrencyKey') = 'string', true))
$$;

-- As before, but that a plain task is not taken apart.
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

-- Adds the tasks of a list in the caller's transaction, all of them or none, and returns their ids in its order. Each is
-- written as the API takes it, with app, name, schedule and handler among its members, and may say ifExists. What is
-- refused is refused as add_task does, with the place of the task before the message.
create function twinbell.add_tasks(tasks jsonb) returns setof bigint
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  -- As many are compared with as many, whatever the number was when this was planned.
  set enable_nestloop = off
as $$
declare
  since constant timestamptz := date_trunc('milliseconds', now());
  start_text constant jsonb :=
    jsonb_build_object('start', to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
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

  with items as materialized (
    select n, item ->> 'app' as app, item ->> 'name' as name, item -> 'schedule' as schedule, item -> 'handler' as handler,
           item - '{app,name,schedule,handler}'::text[] as options,
           jsonb_typeof(item -> 'app') = 'string' and jsonb_typeof(item -> 'name') = 'string' as is_named
    from (select n, case when jsonb_typeof(item) = 'object' then item else '{}' end as item
          from jsonb_array_elements(tasks) with ordinality as given(item, n)) as objects
  ), plain as materialized (
    select *, nextval('twinbell.task_id_seq') as id from items
    where is_named and twinbell.is_plain(app, name, schedule, handler, options)
  ), added as (
    -- Two that add the same names in one order wait for each other; in two orders they would deadlock.
    insert into twinbell.task (id, app, name, handler_type, handler_key, definition) overriding system value
    select id, app, name, handler ->> 'type', case when handler ->> 'type' = 'java' then handler ->> 'key' end,
           start_text || jsonb_build_object('schedule', schedule, 'handler', handler) || options
    from plain order by app, name, n
    on conflict on constraint task_app_name_key do nothing
    returning id
  ), states as (
    insert into twinbell.task_state (task_id) select id from added
  ), arrivals as (
    insert into twinbell.arrival (task_id, at) select id, since from added
  )
  select array_agg(added.id order by n) into ids
  from items left join plain using (n) left join added on added.id = plain.id;

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
