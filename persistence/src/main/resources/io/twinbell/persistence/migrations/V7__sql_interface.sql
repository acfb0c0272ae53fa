-- Scheduling from SQL. An application that uses the same database adds, removes and cancels tasks in the transaction
-- that makes the work necessary, and lists its executions and runs them again. The master reads what these functions
-- write after the commit. The statements of an sql task complete its execution in their own transaction.
--
-- Functions that applications call run with the rights of the owner of the schema, and no other role may call them
-- until it is granted. What each caller may do then is checked by twinbell.caller and the refuse_ functions for
-- callers.

-- Raises SQLSTATE 22023 with a message that names the problem, and advice as the hint; does nothing if there is no
-- problem.
create function twinbell.refuse(problem text, advice text default null) returns void
  language plpgsql
as $$
begin
  if problem is null then
    return;
  elsif advice is null then
    raise exception using errcode = 'invalid_parameter_value', message = problem;
  end if;
  raise exception using errcode = 'invalid_parameter_value', message = problem, hint = advice;
end $$;

-- Characters that no name, owner, tag or key has: control characters, and those that change how a terminal or a page
-- shows the text around them (line and paragraph separators, and the marks and overrides of the writing direction).
create function twinbell.has_hidden_characters(line text) returns boolean
  language sql immutable parallel safe
as $$
  select line ~ ('[\u0001-\u001f\u007f-\u009f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160'
      '\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd'
      '\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]')
    or line ~ '[\u200c\u200d]'
      and line ~ ('(?<![\u0590-\u1fff\u2190-\U0010ffff])[\u200c\u200d]|[\u200c\u200d](?![\u0590-\u1fff\u2190-\U0010ffff])')
    or line ~ '[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]'
      and regexp_replace(line, '[0-9#*]\ufe0f\u20e3', '', 'g')
        ~ ('(?<![\u00a9\u00ae\u0590-\u180a\u1810-\u1fff\u203c\u2049\u2122\u2139\u2190-\ufdff\ufe10-\U000e00ff])'
          '[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]')
$$;

-- Why a text cannot be an app, a name, an owner, a tag or a key; null if it can.
create function twinbell.line_problem(field text, line text) returns text
  language sql immutable parallel safe
as $$
  select case
    when line is null then field || ' is required'
    when length(line) not between 1 and 200 then field || ' must have 1 to 200 characters, not ' || length(line)
    when line ~ '^[ -~]+$' then null
    when twinbell.has_hidden_characters(line) then field || ' must not contain control characters or invisible ones'
  end
$$;

-- The first member of an object that is none of these, as a problem; null if there is none.
create function twinbell.unknown_member(what text, given jsonb, known text[]) returns text
  language sql immutable parallel safe
as $$
  select 'unknown ' || what || ' "' || left(key, 100) || '": it is none of ' || array_to_string(known, ', ')
  from jsonb_object_keys(given - known) as key limit 1
$$;


-- Adding tasks. A task is written as the caller gives it, and the row in arrival tells the master to read it. SQL
-- checks that the row can be stored, found and shown, and what the caller may do. What a schedule, a handler and the
-- options mean is the master's to judge, as of the transaction's time: a task that it cannot read gets state ERROR and
-- raises an alert. await_task waits for that judgement.

-- Whether a task can be stored, as nearly all can: cheap, because the planner takes this text in place of a call. Where
-- it is false or null, task_problem looks closer. Called by add_task and add_tasks.
create function twinbell.is_storable(app text, name text, schedule jsonb, handler jsonb, options jsonb) returns boolean
  language sql immutable parallel safe
as $$
  select length(app) between 1 and 200 and app ~ '^[ -~]+$' and length(name) between 1 and 200 and name ~ '^[ -~]+$'
    and jsonb_typeof(schedule) = 'object' and jsonb_typeof(handler) = 'object'
    and length(schedule::text) + length(handler::text) + length(options::text) < 1000
    and (handler ->> 'type' in ('http', 'sql', 'shell', 'log') or handler ->> 'type' = 'java'
      and jsonb_typeof(handler -> 'key') = 'string' and length(handler ->> 'key') between 1 and 200 and handler ->> 'key' ~ '^[ -~]+$')
    and (options = '{}' or jsonb_typeof(options) = 'object' and options - '{priority,data,start,end,calendars,onExcluded,
      maxRuns,jitter,timeout,expireAfter,retry,misfire,overlap,orphan,onDoubt,pauseOnFailure,concurrencyKey,then,
      thenOnFailure}'::text[] = '{}')
$$;

-- Why a task cannot be stored; null if it can. Called by add_task and add_tasks.
create function twinbell.task_problem(app text, name text, schedule jsonb, handler jsonb, options jsonb) returns text
  language sql immutable parallel safe
as $$
  select coalesce(
    twinbell.line_problem('app', app),
    twinbell.line_problem('name', name),
    case
      when jsonb_typeof(schedule) is distinct from 'object' then 'schedule must be a JSON object'
      when jsonb_typeof(handler) is distinct from 'object' then 'handler must be a JSON object'
      when handler ->> 'type' is null or handler ->> 'type' not in ('http', 'sql', 'shell', 'java', 'log')
        then 'handler.type must be http, sql, shell, java or log'
      when handler ->> 'type' = 'java' and jsonb_typeof(handler -> 'key') is distinct from 'string'
        then 'handler.key must be a string'
      when jsonb_typeof(options) is distinct from 'object' then 'options must be a JSON object'
    end,
    case when handler ->> 'type' = 'java' then twinbell.line_problem('handler.key', handler ->> 'key') end,
    case when handler ? 'profile' then twinbell.line_problem('handler.profile', handler ->> 'profile') end,
    case when options <> '{}' then coalesce(
      twinbell.unknown_member('option', options, '{owner,tags,enabled,priority,data,start,end,calendars,onExcluded,maxRuns,
        jitter,timeout,expireAfter,retry,misfire,overlap,orphan,onDoubt,pauseOnFailure,concurrencyKey,then,thenOnFailure,
        ifExists}'),
      case
        when jsonb_typeof(options -> 'owner') not in ('string', 'null') then 'option owner must be a string'
        when jsonb_typeof(options -> 'enabled') not in ('boolean', 'null') then 'option enabled must be true or false'
        when jsonb_typeof(options -> 'tags') not in ('array', 'null')
          or jsonb_typeof(options -> 'tags') = 'array' and options @? '$.tags[*] ? (@.type() != "string")'
          then 'option tags must be a list of strings'
        when options ->> 'ifExists' not in ('REFUSE', 'KEEP', 'REPLACE')
          then 'option ifExists must be REFUSE, KEEP or REPLACE'
        when options ->> 'owner' is not null then twinbell.line_problem('option owner', options ->> 'owner')
      end,
      (select min(twinbell.line_problem('each tag', tag)) from jsonb_array_elements_text(
         case jsonb_typeof(options -> 'tags') when 'array' then options -> 'tags' else '[]' end) as tag)) end,
    case
      when coalesce(octet_length((options -> 'data')::text), 0) + coalesce(octet_length(handler ->> 'body'), 0)
          + coalesce(octet_length((handler -> 'headers')::text), 0) > 65536
        then 'data, handler body and headers have more than 65536 bytes together'
      when octet_length(schedule::text) + octet_length(handler::text) + octet_length(options::text) > 262144
        then 'the task has more than 262144 bytes'
      -- What jsonb can keep, and whoever reads it back cannot.
      when jsonb_path_exists(jsonb_build_array(schedule, handler, options), 'strict $.**{500}')
        then 'the task is nested more than 500 levels deep'
      when exists (select from jsonb_path_query(jsonb_build_array(schedule, handler, options), 'strict $.** ? (@.type() == "number")')
                   as number where length(number::text) > 1000)
        then 'the task contains a number with more than 1000 digits'
    end)
$$;

-- Warns of a handler key or http profile that no node has: a misspelled one would only be noticed when slots wait.
create function twinbell.warn_of_unknown_key(handler jsonb) returns void
  language plpgsql
as $$
begin
  if not exists (select 1 from twinbell.node_handlers) then
    return;
  elsif handler ->> 'type' = 'java' and handler ->> 'key' <> 'twinbell.noop'
    and not exists (select 1 from twinbell.node_handlers h where handler ->> 'key' = any (h.keys)) then
    raise warning using message = format('no node has a java handler with the key "%s"', left(handler ->> 'key', 200)),
      hint = 'slots of this task wait up to 15 minutes for a master that has this handler';
  elsif handler ->> 'type' = 'http'
    and not exists (select 1 from twinbell.node_handlers h where coalesce(handler ->> 'profile' = any (h.profiles), true)) then
    raise warning using message = format('no node has the http profile "%s"', left(handler ->> 'profile', 200));
  end if;
end $$;

-- The defaults of a definition. The master compares them with its own.
create function twinbell.usual_options() returns jsonb
  language sql immutable parallel safe
as $$
  select jsonb '{"misfire": {"policy": "FIRE_ONCE", "threshold": "PT30S"}, "retry": {"maxAttempts": 1}, "overlap": "SKIP",
    "orphan": "DROP", "priority": 5}'
$$;

-- Adds a task in the caller's transaction and returns its id. Called by applications, and by add_tasks for each task
-- that cannot be inserted with the others. If the app has a task of that name, ifExists says: REFUSE (default) raises
-- unique_violation, KEEP leaves that task, REPLACE replaces it as PUT does, and both return its id. Until the end of
-- the transaction, twinbell.stored says what the call did: CREATED, KEPT or REPLACED.
create function twinbell.add_task(app text, name text, schedule jsonb, handler jsonb, options jsonb default '{}')
  returns bigint
  language plpgsql security definer
as $$
declare
  given jsonb := coalesce(options, '{}');
  since constant timestamptz := date_trunc('milliseconds', now());
  start_text constant text := to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  may record;
  written jsonb;
  labels text[] := '{}';
  definition jsonb;
  own record;
  definition_id bigint;
  added bigint;
  result text := 'CREATED';
begin
  if twinbell.is_storable(add_task.app, add_task.name, add_task.schedule, add_task.handler, given) is not true then
    perform twinbell.refuse(
      twinbell.task_problem(add_task.app, add_task.name, add_task.schedule, add_task.handler, given));
  end if;
  if add_task.schedule ? 'at' then
    perform twinbell.instant_of('schedule.at', add_task.schedule -> 'at');
  end if;
  select coalesce(jsonb_object_agg(key, value), '{}') into given from jsonb_each(given) where value <> 'null';
  select coalesce(array_agg(distinct tag), '{}') into labels
  from jsonb_array_elements_text(coalesce(given -> 'tags', '[]')) as tag;
  select * into may from twinbell.caller();
  perform twinbell.refuse_for_caller(may, add_task.app, add_task.handler, given);
  perform twinbell.warn_of_unknown_key(add_task.handler);
  written := jsonb_build_object('schedule', add_task.schedule, 'handler', add_task.handler)
    || (given - '{owner,tags,enabled,ifExists}'::text[]);
  definition := twinbell.usual_options() - twinbell.defaulted(add_task.app) || jsonb_build_object('start', start_text)
    || written;
  select * into own from twinbell.parts(definition);
  definition_id := (twinbell.define(array[twinbell.definition_doc(given ->> 'owner', labels, add_task.handler ->> 'type',
    case when add_task.handler ->> 'type' = 'java' then add_task.handler ->> 'key' end, own.content)]))[1];
  loop
    insert into twinbell.task as t (app, name, definition_id, data, start_at, fire_at, chained)
    values (add_task.app, add_task.name, definition_id, own.data, own.start_at, own.fire_at, own.chained)
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
            and t.fire_at = (add_task.schedule ->> 'at')::timestamptz, false)
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

-- Adds the tasks of a list in the caller's transaction, all of them or none, and returns their ids in its order. Called
-- by applications. Each element is a task as the API takes it, and may say ifExists. An error is that of add_task, with
-- the place of the task in the list before the message. The setting twinbell.stored has a word for each task, with
-- commas between them. Tasks that need no closer look are inserted together, as if no name were taken; if one is, each
-- task is added on its own.
create function twinbell.add_tasks(tasks jsonb) returns setof bigint
  language plpgsql security definer
  -- Both sides of the join have equally many rows, however many there were when the plan was made. The cost of what is
  -- off would make the planner compile the plan.
  set enable_nestloop = off set jit = off
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
             item - '{app,name}'::text[] as written, item - '{app,name,schedule,handler}'::text[] as options,
             jsonb_typeof(item -> 'app') = 'string' and jsonb_typeof(item -> 'name') = 'string' as is_named
      from (select n, case when jsonb_typeof(item) = 'object' then item else '{}' end as item
            from jsonb_array_elements(tasks) with ordinality as given(item, n)) as objects
    ), new as materialized (
      select *, nextval('twinbell.task_id_seq') as id from items
      where is_named and twinbell.is_storable(app, name, schedule, handler, options)
        and (options = '{}' or not options @? '$.* ? (@ == null)')
        and twinbell.lacking_right(may.apps, may.handlers, may.secrets, app, handler, options) is null
        and (not schedule ? 'at' or twinbell.instant_or_null(schedule -> 'at') is not null)
    ), whole as materialized (
      select *, case when has_defaults then usual - twinbell.defaulted(app) else usual end || written as definition from new
    ), parted as materialized (
      select w.id, w.app, w.name, w.handler, p.*, row_number() over () as nth
      from whole w cross join lateral twinbell.parts(w.definition) as p
    ), defined as materialized (
      select twinbell.define(array(
        select twinbell.definition_doc(null, '{}', handler ->> 'type',
          case when handler ->> 'type' = 'java' then handler ->> 'key' end, content) from parted order by nth)) as ids
    ), added as (
      -- In one order, two transactions that add the same names wait for each other; in different orders they would deadlock.
      insert into twinbell.task (id, app, name, definition_id, data, start_at, fire_at, chained) overriding system value
      select id, app, name, defined.ids[nth], data, start_at, fire_at, chained from parted cross join defined order by app, name
    ), states as (
      insert into twinbell.task_state (task_id) select id from new
    ), arrivals as (
      insert into twinbell.arrival (task_id, at) select id, since from new
    )
    select array_agg(id order by n) into ids from items left join new using (n);
  exception when unique_violation or insufficient_privilege then
    -- Adds each task on its own below, so that the error has its place.
    ids := array_fill(null::bigint, array[jsonb_array_length(tasks)]);
  end;

  results := array_fill('CREATED'::text, array[coalesce(cardinality(ids), 0)]);
  perform twinbell.warn_of_unknown_key(handler) from (
    select distinct item -> 'handler' as handler from jsonb_array_elements(tasks) as item
    where jsonb_typeof(item) = 'object' and (item #>> '{handler,key}' <> 'twinbell.noop' or item #> '{handler,profile}' is not null)
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

  perform pg_notify('twinbell_ledger', '');
  perform set_config('twinbell.stored', array_to_string(results, ','), true);
  return query select unnest(ids);
end $$;

-- Adds a one-shot of a java handler in the caller's transaction and returns its id: the short way, for which nothing is
-- parsed and the master has nothing to judge. The definition follows from the key. A task of this name that will still
-- fire is kept, which twinbell.stored says as for add_task. Called by applications.
create function twinbell.schedule(app text, handler_key text, name text, at timestamptz, data jsonb default null)
  returns bigint
  language plpgsql security definer
as $$
declare
  handler constant jsonb := jsonb_build_object('type', 'java', 'key', handler_key);
  instant constant timestamptz := date_trunc('milliseconds', at);
  may record;
  added bigint;
begin
  -- What is due soon may have fired under its name before, which the master looks up. It fills in defaults, too.
  if instant > clock_timestamp() + interval '10 seconds' and instant < '2200-01-01T00:00:00Z'
    and twinbell.is_storable(app, name, '{}', handler, jsonb_build_object('data', data))
    and twinbell.defaulted(app) = '{}'
  then
    select * into may from twinbell.caller();
    perform twinbell.refuse_for_caller(may, app, handler, '{}');
    perform twinbell.warn_of_unknown_key(handler);
    insert into twinbell.task as t (app, name, definition_id, data, start_at, fire_at)
    select schedule.app, schedule.name, d.ids[1], nullif(schedule.data, 'null'), date_trunc('milliseconds', now()), instant
    from (select twinbell.define(array[twinbell.definition_doc(null, '{}', 'java', handler_key,
            twinbell.usual_options() || jsonb_build_object('handler', handler, 'schedule', jsonb '{}'))]) as ids) as d
    on conflict on constraint task_app_name_key do nothing
    returning t.id into added;
  end if;
  if added is null then
    return twinbell.add_task(app, name, jsonb_build_object('at', twinbell.instant_text(instant)), handler,
      case when data is null then '{}' else jsonb_build_object('data', data) end || jsonb '{"ifExists": "KEEP"}');
  end if;
  insert into twinbell.task_state (task_id, next_fire_time, planned_from) values (added, instant, instant);
  perform pg_notify('twinbell_task', added::text);
  perform set_config('twinbell.stored', 'CREATED', true);
  return added;
end $$;

-- The full id of a transaction that a row names by its lower half. Called by await_task.
create function twinbell.full_id(id xid) returns xid8
  language sql stable
as $$
  select (whole - case when whole > next + (1::bigint << 31) then 1::bigint << 32 else 0 end)::text::xid8
  from (select next, (next >> 32 << 32) + id::text::bigint as whole
        from (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next) as s) as w
$$;

-- Waits until the master has read a task that an earlier transaction added or replaced, and returns its state; null if
-- none has read it within the time, at most a minute. Raises SQLSTATE 22023 with the reason if the task is in state
-- ERROR. Called by applications, in a statement and a transaction of its own.
create function twinbell.await_task(id bigint, timeout interval default '10 seconds') returns text
  language plpgsql security definer
as $$
declare
  until constant timestamptz := clock_timestamp() + timeout;
  may record;
  found_task record;
begin
  if (timeout between interval '0' and interval '1 minute') is not true then
    perform twinbell.refuse(format('timeout must be 0 to 1 minute, not %s', coalesce(timeout::text, 'null')));
  elsif current_setting('transaction_isolation') <> 'read committed' then
    raise exception using errcode = 'active_sql_transaction',
      message = format('await_task sees no change in a transaction that is %s', current_setting('transaction_isolation')),
      hint = 'call it in a transaction of its own that is read committed';
  end if;
  select * into may from twinbell.caller();
  loop
    select t.app, s.state, s.state_reason, a.task_id is not null as is_unread,
           -- A row that is visible though its transaction goes on is this transaction's own.
           pg_xact_status(twinbell.full_id(a.xmin)) = 'in progress' as is_own
    into found_task
    from twinbell.task t join twinbell.task_state s on s.task_id = t.id left join twinbell.arrival a on a.task_id = t.id
    where t.id = await_task.id;
    if not found then
      raise exception using errcode = 'no_data_found', message = format('there is no task %s', coalesce(id::text, 'null'));
    end if;
    perform twinbell.refuse_other_app(may, found_task.app);
    if found_task.is_own then
      raise exception using errcode = 'active_sql_transaction',
        message = format('task %s was added or replaced by this transaction, and the master reads it after the commit', id),
        hint = 'call await_task after the commit';
    elsif not found_task.is_unread and found_task.state = 'ERROR' then
      perform twinbell.refuse(format('task %s: %s', id, found_task.state_reason));
    elsif not found_task.is_unread then
      return found_task.state;
    elsif clock_timestamp() >= until then
      return null;
    end if;
    perform pg_sleep(0.005);
  end loop;
end $$;

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
  select t.app, t.name, f.handler_type, f.definition, s.state, s.state_reason, s.paused_by, s.paused_until,
         s.next_fire_time, s.previous_fire_time, a.at as arrived_at
  into removed
  from twinbell.task t join twinbell.task_state s on s.task_id = t.id left join twinbell.arrival a on a.task_id = t.id
    cross join lateral twinbell.full_task_of(t) as f
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

-- Removes a task by its app and name. Called by applications.
create function twinbell.remove_task(app text, name text) returns boolean
  language plpgsql security definer
as $$
declare
  found_id constant bigint := (select t.id from twinbell.task t where t.app = remove_task.app and t.name = remove_task.name);
begin
  return found_id is not null and twinbell.remove_task(found_id);
end $$;

-- Removes a task as remove_task does, if it has yet to fire. Returns false, and changes nothing, if there is no such
-- task or if it has fired for the last time: its retries go on, and after a crash of the node it can run again. A task
-- that is claimed for the last time counts as fired. Called by applications.
create function twinbell.cancel_task(app text, name text) returns boolean
  language plpgsql security definer
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


-- Executions: an application lists those of an app and runs ended ones again.

-- An execution as the HTTP API lists it. Called by list_executions and rerun_execution.
create function twinbell.execution_json(e twinbell.execution) returns jsonb
  language sql stable
as $$
  select jsonb_build_object('id', e.task_id || '-' || twinbell.millis(e.fire_time), 'taskId', e.task_id, 'app', e.app, 'name', e.name,
      'fireTime', twinbell.instant_text(e.fire_time), 'state', e.state, 'attempt', e.attempt, 'node', e.node, 'epoch', e.epoch,
      'claimedAt', twinbell.instant_text(e.claimed_at), 'startedAt', twinbell.instant_text(e.started_at),
      'endedAt', twinbell.instant_text(e.ended_at),
      'latenessMillis', case when coalesce(e.reruns, 0) = 0 and coalesce(e.origin, 'CHAINED') = 'CHAINED'
        then twinbell.millis(e.started_at) - twinbell.millis(e.fire_time) end,
      'output', e.output, 'error', e.error, 'errorCode', e.error_code,
      'reason', nullif(concat_ws('; ', e.reason, case
        when e.held_by like E'\x01handler:%'
          then 'waits for a master that has a java handler under the key "' || substr(e.held_by, 10) || '"'
        when e.held_by like E'\x01quota:%' then 'waits because the app has used its quotas.firesPerMinute'
        else 'waits for room under the limit "' || e.held_by || '"' end), ''))
    || jsonb_strip_nulls(jsonb_build_object('untilFireTime', twinbell.instant_text(e.until_fire_time),
      'slots', case when e.until_fire_time is not null then e.slots end, 'origin', e.origin, 'snoozes', nullif(e.snoozes, 0),
      'reruns', nullif(e.reruns, 0), 'nextAttemptAt', case e.state when 'RETRYING' then twinbell.instant_text(e.due_at) end,
      'callbackUntil', case e.state when 'RUNNING' then (select twinbell.instant_text(p.expires_at) from twinbell.parked p
        where p.task_id = e.task_id and p.fire_time = e.fire_time and p.attempt = e.attempt and p.is_out and p.answer is null
          and p.over_at is null) end,
      'note', e.note, 'progress', e.progress, 'log', e.log))
    || case when e.progress is null then '{}' else jsonb_build_object('progressMessage', e.progress_message) end
$$;

-- The condition that a selection means for rows e of twinbell.execution. The values are literals, because PostgreSQL uses
-- a partial index only if they are known when the statement is planned.
create function twinbell.execution_condition(app text, selection jsonb) returns text
  language plpgsql stable
as $$
declare
  states constant text[] := '{PENDING,CLAIMED,RUNNING,RETRYING,SUCCEEDED,FAILED,TIMED_OUT,CANCELLED,SKIPPED,MISSED,DROPPED}';
  given constant jsonb := jsonb_strip_nulls(selection);
  known constant text := ' and e.task_id in (select t.id from twinbell.task t where t.%1$I = %2$L'
    ' union all select r.task_id from twinbell.removed_task r where r.%1$I = %2$L)';
begin
  perform twinbell.refuse(twinbell.line_problem('app', app));
  if jsonb_typeof(given) is distinct from 'object' then
    perform twinbell.refuse('the selection must be a JSON object', 'for example {"state": ["FAILED", "TIMED_OUT"]}');
  end if;
  perform twinbell.refuse(twinbell.unknown_member('member of the selection', given, '{name,state,errorCode,from,until}'));
  perform twinbell.refuse(case
    when jsonb_typeof(given -> 'name') <> 'string' then 'name must be a string'
    when jsonb_typeof(given -> 'errorCode') <> 'string' then 'errorCode must be a string'
    when jsonb_typeof(given -> 'state') <> 'array' or given -> 'state' = '[]' or not given -> 'state' <@ to_jsonb(states)
      then 'state must be a list of ' || array_to_string(states, ', ') end);
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

-- The executions of an app that match a selection, the newest fire time first. The argument after is the last id of the
-- previous page. Called by applications.
create function twinbell.list_executions(app text, selection jsonb default '{}', most integer default 100,
    after text default null) returns setof jsonb
  language plpgsql stable security definer
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

-- Runs an ended execution again and returns it as the HTTP API does. The caller needs the rights to store its task.
-- Called by applications.
create function twinbell.rerun_execution(id text, reason text default null) returns jsonb
  language plpgsql security definer
as $$
declare
  why constant text := twinbell.rerun_reason(reason);
  slot constant text[] := regexp_match(id, '^(\d{1,18})-(\d{1,13})$');
  of_task constant bigint := slot[1];
  fire constant timestamptz := twinbell.instant(slot[2]::bigint);
  e twinbell.execution;
  task twinbell.full_task;
  may record;
  obstacle text;
begin
  select * into e from twinbell.execution x where x.task_id = of_task and x.fire_time = fire for update;
  task := (select twinbell.full_task_of(t) from twinbell.task t where t.id = of_task);
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

-- Runs the ended executions of an app that match a selection again, oldest first, at most 10,000, and returns their
-- number. The caller needs the rights to store each of their tasks. Called by applications.
create function twinbell.rerun_executions(app text, selection jsonb, reason text default null) returns integer
  language plpgsql security definer
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
  perform twinbell.refuse_for_caller(may, t.app, d.content -> 'handler', d.content)
  from twinbell.task t join twinbell.definition d on d.id = t.definition_id where t.id = any (tasks);
  return twinbell.rerun_slots(tasks, fires, why);
end $$;


-- Sql tasks. Their statements run in sessions of a role with fewer rights (handlers.sql.user). That role can neither
-- read nor write this schema. It may call one function, which completes the execution that its transaction is for.

-- Records the success of an execution in the transaction that did its work. Called by the node that runs it. The node
-- makes the proof for this execution, attempt and transaction, and sends it after the statements, so that no statement
-- of a task sees it or an owner token. A call without a valid proof locks nothing. Returns COMMITTED, or why the
-- transaction has to be rolled back: SUPERSEDED, ENDED_BEFORE.
create function twinbell.complete_sql_task(of_task bigint, of_fire bigint, of_attempt integer, of_epoch bigint,
    started_micros bigint, ended_micros bigint, told text, given_proof bytea) returns text
  language plpgsql security definer
  -- Triggers run in this function too. These settings keep a task's session settings from affecting them.
  set timezone = 'UTC' set row_security = on set jit = off set enable_seqscan = off set enable_hashjoin = off
  set enable_mergejoin = off set enable_indexscan = on set enable_nestloop = on
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


-- Functions with the owner's rights are called in sessions with any settings. They find no object of the caller's, and
-- the backslashes of their patterns mean the same everywhere. What applications call writes and compares values, too: so
-- do NULLs in arrays, comparisons with NULL, quoted names and the texts of values.
do $$
declare
  function record;
  setting text;
begin
  for function in
    select p.oid::regprocedure as name, p.proname = any ('{add_task,add_tasks,schedule,await_task,remove_task,cancel_task,list_executions,
      rerun_execution,rerun_executions,complete_sql_task}') as is_for_applications
    from pg_proc p where p.pronamespace = 'twinbell'::regnamespace and p.prosecdef
  loop
    execute format('alter function %s set search_path = pg_catalog, pg_temp', function.name);
    execute format('alter function %s set standard_conforming_strings = on', function.name);
    continue when not function.is_for_applications;
    foreach setting in array '{array_nulls = on,transform_null_equals = off,quote_all_identifiers = off,
      intervalstyle = postgres,datestyle = iso,bytea_output = hex,gin_fuzzy_search_limit = 0,extra_float_digits = 1}'::text[] loop
      execute format('alter function %s set %s', function.name, setting);
    end loop;
  end loop;
end $$;


-- Rights

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
          when object.relname = 'definition' then 'select, insert, update'
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

-- What no role may call until it is granted: what applications call, what only nodes and the owner call, and triggers.
-- A role that may call a trigger function can attach it to a table of its own. One with the owner's rights would then
-- convert values of that role's types, and run that role's casts as the owner. All other functions are for every role,
-- because the statements of an application that embeds a node call them.
do $$
declare
  function regprocedure;
begin
  for function in
    select p.oid from pg_proc p
    where p.pronamespace = 'twinbell'::regnamespace and (p.prorettype = 'trigger'::regtype or p.proname = any ('{
      add_task,add_tasks,schedule,await_task,remove_task,cancel_task,list_executions,rerun_execution,rerun_executions,
      complete_sql_task,admit_node,admit_sql_role,allow_caller,grant_to_nodes,ensure_partition,ensure_partitions,
      detach_ledger_day,drop_ledger_day,ensure_audit_partition,ensure_audit_partitions,drop_audit_day,audit_act,
      audit_chain,audit_digest,audit_end,audit_origin,audit_reason,audit_refusals,audit_task,audit_task_state,audit_value,
      remove_definitions,seal_audit,verify_audit,lacking_of_caller,first_lacking,because_lacking,refuse_chain,refuse_without,
      refuse_other_app,followers,execution_condition,execution_json,rerun_reason,rerun_slots}'))
  loop
    execute format('revoke all on function %s from public', function);
  end loop;
end $$;
