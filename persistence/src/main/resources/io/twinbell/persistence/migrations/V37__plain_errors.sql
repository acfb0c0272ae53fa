-- The functions that check a task added by SQL say what is wrong, where, and what to do, in the words of the API. Conditions and
-- SQLSTATEs are as before.

create or replace function twinbell.refuse_line(field text, line text) returns void
  language plpgsql
as $$
begin
  if line is null then
    perform twinbell.refuse(format('%s is required', field));
  elsif length(line) not between 1 and 200 then
    perform twinbell.refuse(format('%s must have 1 to 200 characters, not %s', field, length(line)));
  elsif twinbell.has_hidden_characters(line) then
    perform twinbell.refuse(format('%s must not contain control characters', field),
      'line separators and characters that change the writing direction are control characters too');
  end if;
end $$;

create or replace function twinbell.refuse_schedule(schedule jsonb) returns void
  language plpgsql
as $$
declare
  forms text[];
  form text;
begin
  if jsonb_typeof(schedule) is distinct from 'object' then
    perform twinbell.refuse('schedule must be a JSON object', 'for example {"cron": "30 2 * * *"} or {"in": "PT48H"}');
  end if;
  select coalesce(array_agg(known), '{}') into forms
  from unnest(array['cron', 'every', 'at', 'in']) as known where schedule ? known;
  form := forms[1];
  if cardinality(forms) <> 1 then
    perform twinbell.refuse_others('schedule', schedule, '{cron,every,at,in,dialect,zone,dstGap,dstOverlap,mode}');
    perform twinbell.refuse('schedule must have exactly one of cron, every, at and in',
      format('it has %s', case when forms = '{}' then 'none' else array_to_string(forms, ', ') end));
  elsif jsonb_typeof(schedule -> form) <> 'string' then
    perform twinbell.refuse(format('schedule.%s must be a string', form));
  end if;
  perform twinbell.refuse_others(format('a schedule with %s', form), schedule, case form
    when 'cron' then '{cron,dialect,zone,dstGap,dstOverlap}' when 'every' then '{every,mode}' else array[form] end);
  case form
    when 'cron' then
      perform twinbell.refuse_cron(schedule ->> 'cron');
      if schedule ? 'zone' then
        perform twinbell.refuse_zone('schedule.zone', coalesce(schedule ->> 'zone', ''));
      end if;
      perform twinbell.refuse_choice('schedule.dialect', schedule -> 'dialect', '{UNIX,QUARTZ,SPRING}');
      perform twinbell.refuse_choice('schedule.dstGap', schedule -> 'dstGap', '{SHIFT,SKIP}');
      perform twinbell.refuse_choice('schedule.dstOverlap', schedule -> 'dstOverlap', '{ONCE,TWICE}');
    when 'every' then
      perform twinbell.refuse_interval('schedule.every', schedule ->> 'every', 0.010, '10 ms and ten years (P3653D)');
      perform twinbell.refuse_choice('schedule.mode', schedule -> 'mode', '{FIXED_RATE,FIXED_DELAY}');
    when 'at' then
      perform twinbell.instant_of('schedule.at', schedule -> 'at');
    else
      perform twinbell.refuse_interval('schedule.in', schedule ->> 'in', 0, 'PT0S and ten years (P3653D)');
  end case;
end $$;

create or replace function twinbell.refuse_handler(handler jsonb) returns void
  language plpgsql
as $$
begin
  if jsonb_typeof(handler) is distinct from 'object' then
    perform twinbell.refuse('handler must be a JSON object', 'for example {"type": "log"}');
  elsif jsonb_typeof(handler -> 'type') is distinct from 'string' then
    perform twinbell.refuse('handler.type is required', 'it is one of http, sql, shell, java and log');
  elsif handler ->> 'type' not in ('http', 'sql', 'shell', 'java', 'log') then
    perform twinbell.refuse(format('unknown handler type "%s"', left(handler ->> 'type', 100)),
      twinbell.advice(handler ->> 'type', '{http,sql,shell,java,log}'));
  end if;
  case handler ->> 'type'
    when 'http' then
      perform twinbell.refuse_http(handler);
      perform twinbell.refuse_url(handler ->> 'url');
      perform twinbell.refuse_method(handler ->> 'method');
    when 'sql' then
      perform twinbell.refuse_sql(handler);
      perform twinbell.refuse_statement(one #>> '{}') from jsonb_array_elements(
        case jsonb_typeof(handler -> 'statement') when 'array' then handler -> 'statement' else jsonb_build_array(handler -> 'statement') end) one;
    when 'shell' then
      perform twinbell.refuse_shell(handler);
    when 'java' then
      perform twinbell.refuse_others('a java handler', handler, '{type,key}');
      perform twinbell.refuse_type('handler.key', handler -> 'key', 'string');
      perform twinbell.refuse_line('handler.key', handler ->> 'key');
    else
      perform twinbell.refuse_others('a log handler', handler, '{type,message}');
      perform twinbell.refuse_type('handler.message', handler -> 'message', 'string');
      if length(handler ->> 'message') > 10000 or twinbell.has_hidden_characters(handler ->> 'message') then
        perform twinbell.refuse('handler.message must have at most 10000 characters and no control characters');
      end if;
  end case;
end $$;

create or replace function twinbell.refuse_options(options jsonb) returns void
  language plpgsql
as $$
declare
  known constant text[] := array(select option from twinbell.task_options());
  given record;
  since timestamptz;
begin
  if jsonb_typeof(options) <> 'object' then
    perform twinbell.refuse('options must be a JSON object', 'for example {"owner": "ops", "overlap": "ALLOW"}');
  end if;
  for given in
    select key, value, option, type from jsonb_each(options) left join twinbell.task_options() on option = key
  loop
    if given.option is null then
      perform twinbell.refuse(format('unknown option "%s"', left(given.key, 100)), twinbell.advice(given.key, known));
    elsif given.type <> jsonb_typeof(given.value) and given.value <> 'null' then
      perform twinbell.refuse(
        format('option %s must be a JSON %s, not %s', given.key, given.type, jsonb_typeof(given.value)));
    end if;
  end loop;
  if options ->> 'owner' is not null then
    perform twinbell.refuse_line('option owner', options ->> 'owner');
  end if;
  if options ->> 'ifExists' not in ('REFUSE', 'KEEP', 'REPLACE') then
    perform twinbell.refuse('option ifExists must be REFUSE, KEEP or REPLACE',
      twinbell.advice(options ->> 'ifExists', '{REFUSE,KEEP,REPLACE}'));
  end if;
  if jsonb_typeof(options -> 'tags') = 'array' and (jsonb_array_length(options -> 'tags') > 50 or exists (
      select 1 from jsonb_array_elements(options -> 'tags') as tag
      where jsonb_typeof(tag) <> 'string' or length(tag #>> '{}') not between 1 and 100
        or twinbell.has_hidden_characters(tag #>> '{}'))) then
    perform twinbell.refuse(
      'option tags must be a list of at most 50 strings of 1 to 100 characters without control characters');
  end if;
  if jsonb_typeof(options -> 'calendars') = 'array' then
    if jsonb_array_length(options -> 'calendars') > 16 then
      perform twinbell.refuse('option calendars must be a list of at most 16 names');
    end if;
    for given in select element from jsonb_array_elements(options -> 'calendars') as element
      where jsonb_typeof(element) <> 'string' or not exists (select 1 from twinbell.calendar c where c.name = element #>> '{}')
    loop
      perform twinbell.refuse(format('option calendars contains a calendar that does not exist: %s', left(given.element::text, 100)));
    end loop;
  end if;
  perform twinbell.refuse_number('option priority', options -> 'priority', 0, 9, true);
  perform twinbell.refuse_number('option maxRuns', options -> 'maxRuns', 1, 1000000000, true);
  perform twinbell.refuse_number('option pauseOnFailure', options -> 'pauseOnFailure', 1, 1000, true);
  perform twinbell.refuse_duration('option jitter', options -> 'jitter', 0, 86400, 'PT0S and PT24H');
  perform twinbell.refuse_duration('option timeout', options -> 'timeout', 0.001, 604800, 'PT0.001S and P7D');
  perform twinbell.refuse_choice('option orphan', options -> 'orphan', '{DROP,RERUN}');
  perform twinbell.refuse_choice('option onDoubt', options -> 'onDoubt', '{DROP,RERUN,ASK}');
  if jsonb_typeof(options -> 'overlap') = 'object' then
    perform twinbell.refuse_others('option overlap', options -> 'overlap', '{policy,max}');
    perform twinbell.refuse_choice('option overlap.policy', options #> '{overlap,policy}', '{ALLOW,SKIP,QUEUE,CANCEL_RUNNING}');
    perform twinbell.refuse_number('option overlap.max', options #> '{overlap,max}', 1, 1000, true);
    if options #>> '{overlap,max}' is not null and options #>> '{overlap,policy}' is distinct from 'QUEUE' then
      perform twinbell.refuse('option overlap.max is allowed only with the policy QUEUE');
    end if;
  else
    perform twinbell.refuse_choice('option overlap', options -> 'overlap', '{ALLOW,SKIP,QUEUE,CANCEL_RUNNING}');
  end if;
  if jsonb_typeof(options -> 'retry') = 'object' then
    perform twinbell.refuse_others('option retry', options -> 'retry', '{maxAttempts,backoff,multiplier,maxBackoff,jitter}');
    perform twinbell.refuse_number('option retry.maxAttempts', options #> '{retry,maxAttempts}', 1, 1000, true);
    perform twinbell.refuse_number('option retry.multiplier', options #> '{retry,multiplier}', 1, 100, false);
    perform twinbell.refuse_number('option retry.jitter', options #> '{retry,jitter}', 0, 1, false);
    perform twinbell.refuse_duration('option retry.backoff', options #> '{retry,backoff}', 0, 604800, 'PT0S and P7D');
    perform twinbell.refuse_duration('option retry.maxBackoff', options #> '{retry,maxBackoff}', 0, 604800, 'PT0S and P7D');
    if twinbell.duration_seconds(options #>> '{retry,maxBackoff}')
      < twinbell.duration_seconds(coalesce(options #>> '{retry,backoff}', 'PT1S')) then
      perform twinbell.refuse('option retry.maxBackoff must not be shorter than the backoff');
    end if;
  end if;
  if jsonb_typeof(options -> 'misfire') = 'object' then
    perform twinbell.refuse_others('option misfire', options -> 'misfire', '{policy,threshold,max,order}');
    perform twinbell.refuse_choice('option misfire.policy', options #> '{misfire,policy}', '{FIRE_ONCE,SKIP,FIRE_ALL}');
    perform twinbell.refuse_choice('option misfire.order', options #> '{misfire,order}', '{NEWEST,OLDEST}');
    perform twinbell.refuse_number('option misfire.max', options #> '{misfire,max}', 1, 1000, true);
    perform twinbell.refuse_duration('option misfire.threshold', options #> '{misfire,threshold}', 0, 315360000, 'PT0S and P3650D');
  end if;
  if options ->> 'concurrencyKey' is not null then
    perform twinbell.refuse_line('option concurrencyKey', options ->> 'concurrencyKey');
    if options ->> 'concurrencyKey' ~ '^(app|tag|handler):' then
      perform twinbell.refuse('option concurrencyKey must not begin with app:, tag: or handler:',
        'these prefixes are reserved for limits of apps, tags and handlers');
    end if;
  end if;
  perform twinbell.refuse_followers('then', options -> 'then');
  perform twinbell.refuse_followers('thenOnFailure', options -> 'thenOnFailure');
  since := case when options ->> 'start' is not null then twinbell.instant_of('option start', options -> 'start') end;
  if options ->> 'end' is not null and twinbell.instant_of('option end', options -> 'end') < coalesce(since, now()) then
    perform twinbell.refuse('option end must not be before the start');
  end if;
  if jsonb_path_exists(options -> 'data', 'strict $.**{100}') then
    perform twinbell.refuse('option data is nested more than 100 levels deep');
  end if;
end $$;

create or replace function twinbell.refuse_unreadable(field text, document jsonb) returns void
  language plpgsql
as $$
begin
  if jsonb_path_exists(document, 'strict $.**{500}') then
    perform twinbell.refuse(format('%s is nested more than 500 levels deep', field));
  elsif exists (select 1 from jsonb_path_query(document, 'strict $.**') as part
                where jsonb_typeof(part) = 'number' and length(part::text) > 1000) then
    perform twinbell.refuse(format('%s contains a number with more than 1000 digits', field));
  end if;
end $$;

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
  standing record;
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
      return added;
    elsif added is not null then
      -- Like PUT, a replacement keeps the start unless it names one; only "in" counts from now.
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
  may record;
  ids bigint[];
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
             usual || written
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
  return query select unnest(ids);
end $$;

create or replace function twinbell.refuse_duration(field text, value jsonb, lowest numeric, highest numeric, bounds text) returns void
  language plpgsql
as $$
declare
  seconds constant numeric := twinbell.duration_seconds(value #>> '{}');
begin
  if coalesce(value, 'null') = 'null' then
    return;
  elsif jsonb_typeof(value) <> 'string' or seconds is null then
    perform twinbell.refuse(format('%s must be a duration such as PT30S, not %s', field, left(value::text, 100)),
      'ISO-8601: PT1H30M, PT0.25S, P7D');
  elsif seconds * 1000 <> trunc(seconds * 1000) then
    perform twinbell.refuse(format('%s must be in whole milliseconds, not %s', field, left(value::text, 100)));
  elsif seconds not between lowest and highest then
    perform twinbell.refuse(format('%s must lie between %s, not %s', field, bounds, left(value::text, 100)));
  end if;
end $$;

create or replace function twinbell.refuse_interval(field text, written text, lowest numeric, bounds text) returns void
  language plpgsql
as $$
declare
  seconds numeric := twinbell.duration_seconds(written);
begin
  if length(written) > 64 then
    perform twinbell.refuse(format('%s has more than 64 characters', field));
  elsif written ~* '^[-+]?P[^T]*[YM]' then
    perform twinbell.refuse(format('%s must not use years or months, which have no fixed length: %s', field, to_json(written)),
      'use days (P30D) or a cron expression; minutes come after a T (PT5M)');
  end if;
  seconds := coalesce(seconds, (regexp_match(written, '^\+?P(\d{1,4})W$', 'i'))[1]::numeric * 604800);
  if written ~ '^((\d{1,18})(\.\d{1,18})?(ms|h|m|s))+$' then
    select sum(term[1]::numeric * case term[2] when 'h' then 3600 when 'm' then 60 when 's' then 1 else 0.001 end) into seconds
    from regexp_matches(written, '(\d{1,18}(?:\.\d{1,18})?)(ms|h|m|s)', 'g') as term;
  end if;
  if seconds is null then
    perform twinbell.refuse(format('%s is not a duration: %s', field, to_json(written)),
      'ISO-8601 (PT1H30M, PT0.25S, P7D) or units h, m, s, ms (1h30m, 250ms)');
  elsif seconds * 1000 <> trunc(seconds * 1000) then
    perform twinbell.refuse(format('%s must be in whole milliseconds, not %s', field, to_json(written)));
  elsif seconds not between lowest and 315619200 then
    perform twinbell.refuse(format('%s must lie between %s, not %s', field, bounds, to_json(written)));
  end if;
end $$;

create or replace function twinbell.instant_of(field text, value jsonb) returns timestamptz
  language plpgsql
as $$
declare
  written constant text := value #>> '{}';
  instant timestamptz;
begin
  if jsonb_typeof(value) is distinct from 'string' or length(written) > 40 or written ~* 'T24' or written !~*
    '^\d{4}-\d\d-\d\dT\d\d:[0-5]\d(:[0-5]\d(\.\d{0,9})?)?(Z|[-+]\d\d(:\d\d(:\d\d)?)?)$' then
    perform twinbell.refuse(format('%s is not an instant: %s', field, left(value::text, 100)),
      'write it as 2026-03-29T01:00:00.000Z');
  end if;
  begin
    instant := written::timestamptz;
  exception when data_exception then
    perform twinbell.refuse(format('%s is not an instant: %s', field, left(value::text, 100)),
      'write it as 2026-03-29T01:00:00.000Z');
  end;
  if written ~ '\.\d{3}\d*[1-9]' then
    perform twinbell.refuse(format('%s must be in whole milliseconds, not %s', field, left(value::text, 100)));
  elsif instant < '1970-01-01T00:00:00Z' or instant >= '2200-01-01T00:00:00Z' then
    perform twinbell.refuse(format('%s must lie between 1970 and 2199, not %s', field, left(value::text, 100)));
  end if;
  return instant;
end $$;

create or replace function twinbell.refuse_zone(field text, zone text) returns void
  language plpgsql stable
as $$
begin
  if zone !~ '^[A-Za-z0-9_+:/-]{1,64}$' then
    perform twinbell.refuse(format('%s is not a time zone: %s', field, left(to_json(zone)::text, 100)),
      'write a region such as Europe/Berlin, or an offset such as +02:00');
  elsif zone ~ '/' then
    begin
      perform now() at time zone zone;
    exception when invalid_parameter_value then
      perform twinbell.refuse(format('%s is not a time zone of this database server: %s', field, zone),
        'write a region such as Europe/Berlin');
    end;
  end if;
end $$;

create or replace function twinbell.refuse_cron(expression text) returns void
  language plpgsql
as $$
declare
  words text[] := regexp_split_to_array(btrim(expression, E' \t\n\x0b\f\r'), '[ \t-\r]+');
  fields constant text[] := '{second,minute,hour,day of month,month,day of week,year}';
  lowest constant int[] := '{0,0,0,1,1,0,1970}';
  highest constant int[] := '{59,59,23,31,12,7,2199}';
  entry text;
  place int;
begin
  if length(expression) > 1000 then
    perform twinbell.refuse(format('schedule.cron has %s characters; at most 1000 are allowed', length(expression)));
  end if;
  if words[1] ~* '^(CRON_)?TZ=' then
    perform twinbell.refuse_zone('the zone in schedule.cron', regexp_replace(words[1], '^(CRON_)?TZ=', '', 'i'));
    words := words[2:];
  end if;
  if coalesce(words[1], '') = '' then
    perform twinbell.refuse('schedule.cron is empty', 'for example 30 2 * * *');
  elsif words[1] ~ '^@' then
    if lower(words[1]) = '@every' and cardinality(words) = 2 then
      perform twinbell.refuse_interval('schedule.cron @every', words[2], 0.010, '10 ms and ten years');
    elsif cardinality(words) > 1 or lower(words[1]) <> all ('{@yearly,@annually,@monthly,@weekly,@daily,@midnight,@hourly}') then
      perform twinbell.refuse(format('schedule.cron is not an allowed macro: %s', left(to_json(expression)::text, 100)),
        'allowed are @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly, and @every with a duration such as 5m');
    end if;
    return;
  elsif cardinality(words) not between 5 and 7 then
    perform twinbell.refuse(format('schedule.cron must have 5, 6 or 7 fields, not %s: %s', cardinality(words),
        left(to_json(expression)::text, 100)),
      'five fields are minute, hour, day of month, month and day of week; six begin with the second; seven also end with the year');
  end if;
  for i in 1 .. cardinality(words) loop
    place := i + case when cardinality(words) = 5 then 1 else 0 end;
    foreach entry in array string_to_array(words[i], ',') loop
      if entry = '' or entry !~ '^[0-9A-Za-z*?#()/-]+$' or place not in (4, 5, 6) and entry ~* '[A-GI-Z]' then
        perform twinbell.refuse(format('the %s field of schedule.cron is not valid: %s', fields[place], left(to_json(entry)::text, 100)),
          'allowed are numbers, *, H, lists (a,b), ranges (a-b) and steps (a/n); names and letters only in the day and month fields');
      elsif entry ~ '^\d+(-\d+)?(/\d+)?$' and exists (
          select 1 from regexp_split_to_table(split_part(entry, '/', 1), '-') as number
          where length(number) > 4 or number::int not between lowest[place] and highest[place]) then
        perform twinbell.refuse(format('the %s field of schedule.cron is not valid: %s', fields[place], to_json(left(entry, 100))),
          format('allowed are %s to %s', lowest[place], highest[place]));
      elsif entry ~ '/' and entry !~ '/[1-9]\d{0,3}$' then
        perform twinbell.refuse(format('the %s field of schedule.cron has an invalid step: %s', fields[place], to_json(left(entry, 100))),
          'a step is a number of 1 or more, as in */5');
      end if;
    end loop;
  end loop;
end $$;

create or replace function twinbell.refuse_http(handler jsonb) returns void
  language plpgsql
as $$
declare
  url constant text := handler ->> 'url';
  host text;
  header record;
  code jsonb;
  range text[];
begin
  perform twinbell.refuse_others('an http handler', handler,
    '{type,method,url,headers,body,successCodes,connectTimeout,followRedirects,secret}');
  perform twinbell.refuse_type('handler.method', handler -> 'method', 'string');
  perform twinbell.refuse_type('handler.body', handler -> 'body', 'string');
  perform twinbell.refuse_type('handler.headers', handler -> 'headers', 'object');
  perform twinbell.refuse_type('handler.followRedirects', handler -> 'followRedirects', 'boolean');
  perform twinbell.refuse_type('handler.secret', handler -> 'secret', 'object');
  if jsonb_typeof(handler -> 'url') is distinct from 'string' then
    perform twinbell.refuse('handler.url is required and must be a string', 'for example http://127.0.0.1:9000/x');
  elsif length(url) > 4096 then
    perform twinbell.refuse(format('handler.url has %s characters; at most 4096 are allowed', length(url)));
  elsif url !~* '^https?://[^/?#]' or twinbell.has_hidden_characters(url) then
    perform twinbell.refuse(format('handler.url must be an absolute http or https URL, not %s', left(to_json(url)::text, 200)),
      'for example http://127.0.0.1:9000/x');
  end if;
  host := (regexp_match(url, '^[^:]+://([^/?#]*)'))[1];
  if (regexp_match(host, ':(\d+)$'))[1]::numeric not between 1 and 65535 then
    perform twinbell.refuse(format('handler.url has an invalid port: %s', left((regexp_match(host, ':(\d+)$'))[1], 20)),
      'a port is a number from 1 to 65535');
  elsif host ~ '[{}$]' then
    perform twinbell.refuse('handler.url must not have a variable in its host', 'variables are allowed in the path and the query');
  end if;
  if handler ->> 'method' is not null
    and (handler ->> 'method' !~ '^[!#$%&''*+.^_`|~0-9A-Za-z-]{1,20}$' or upper(handler ->> 'method') = 'CONNECT') then
    perform twinbell.refuse(format('handler.method must be an HTTP method such as POST, not %s', left(handler ->> 'method', 100)));
  end if;
  if jsonb_typeof(handler -> 'headers') = 'object' then
    if (select count(*) from jsonb_object_keys(handler -> 'headers')) > 50 then
      perform twinbell.refuse('handler.headers must have at most 50 members');
    end if;
    for header in select key, value from jsonb_each(handler -> 'headers') loop
      if header.key !~ '^[!#$%&''*+.^_`|~0-9A-Za-z-]{1,200}$' then
        perform twinbell.refuse(format('handler.headers contains %s, which is not a header name', left(to_json(header.key)::text, 100)));
      elsif lower(header.key) in ('connection', 'content-length', 'expect', 'host', 'te', 'trailer', 'upgrade', 'transfer-encoding')
        or lower(header.key) = 'idempotency-key' or lower(header.key) like 'twinbell-%' then
        perform twinbell.refuse(format('handler.headers must not contain %s: Twinbell or its HTTP client sets this header', header.key));
      elsif jsonb_typeof(header.value) <> 'string' or length(header.value #>> '{}') > 8192
        or header.value #>> '{}' !~ '^[\t\x20-\x7e]*$' then
        perform twinbell.refuse(format('handler.headers.%s must be a string of printable ASCII, at most 8192 characters', header.key));
      end if;
    end loop;
  end if;
  perform twinbell.refuse_list('handler.successCodes', handler -> 'successCodes', 50, 'statuses such as 200, "2xx" or "200-299"');
  if jsonb_typeof(handler -> 'successCodes') = 'array' then
    for code in select * from jsonb_array_elements(handler -> 'successCodes') loop
      range := regexp_match(code #>> '{}', '^([1-5]\d\d)(?:-([1-5]\d\d))?$');
      if code #>> '{}' !~ '^[1-5]xx$' and (range is null or range[1] > coalesce(range[2], range[1])) is not false then
        perform twinbell.refuse(format('handler.successCodes contains %s, which is not a status', left(code::text, 100)),
          'write a status such as 200, "2xx" or "200-299"');
      end if;
    end loop;
  end if;
  perform twinbell.refuse_duration('handler.connectTimeout', handler -> 'connectTimeout', 0.001, 300, 'PT0.001S and PT5M');
  if jsonb_typeof(handler -> 'secret') = 'object' then
    perform twinbell.refuse_others('handler.secret', handler -> 'secret', '{ref}');
    perform twinbell.refuse_line('handler.secret.ref', handler #>> '{secret,ref}');
  end if;
end $$;

create or replace function twinbell.refuse_sql(handler jsonb) returns void
  language plpgsql
as $$
declare
  statement jsonb := handler -> 'statement';
begin
  perform twinbell.refuse_others('an sql handler', handler, '{type,statement,parameters}');
  perform twinbell.refuse_type('handler.parameters', handler -> 'parameters', 'object');
  if jsonb_typeof(statement) = 'string' then
    statement := jsonb_build_array(statement);
  end if;
  if jsonb_typeof(statement) is distinct from 'array' or jsonb_array_length(statement) not between 1 and 100
    or exists (select 1 from jsonb_array_elements(statement) as one where jsonb_typeof(one) <> 'string' or btrim(one #>> '{}') = '') then
    perform twinbell.refuse('handler.statement must be a string, or a list of 1 to 100 strings, and none of them may be empty');
  end if;
end $$;

create or replace function twinbell.refuse_shell(handler jsonb) returns void
  language plpgsql
as $$
begin
  perform twinbell.refuse_others('a shell handler', handler, '{type,command,environment,workingDirectory,successCodes}');
  if jsonb_typeof(handler -> 'command') is distinct from 'array' or jsonb_array_length(handler -> 'command') not between 1 and 200
    or exists (select 1 from jsonb_array_elements(handler -> 'command') as word where jsonb_typeof(word) <> 'string')
    or btrim(handler #>> '{command,0}') = '' then
    perform twinbell.refuse('handler.command must be a list of 1 to 200 strings, and the first must be the program',
      'for example ["/bin/date", "-u"]');
  end if;
  perform twinbell.refuse_type('handler.environment', handler -> 'environment', 'object');
  perform twinbell.refuse_type('handler.workingDirectory', handler -> 'workingDirectory', 'string');
  perform twinbell.refuse_list('handler.successCodes', handler -> 'successCodes', 50, 'exit codes from 0 to 255');
  if left(handler ->> 'workingDirectory', 1) <> '/' then
    perform twinbell.refuse('handler.workingDirectory must be an absolute path');
  elsif jsonb_typeof(handler -> 'environment') = 'object' and exists (
      select 1 from jsonb_each(handler -> 'environment') as e
      where key !~ '^[A-Za-z_][A-Za-z0-9_]{0,99}$' or key like 'TWINBELL\_%' or jsonb_typeof(value) <> 'string') then
    perform twinbell.refuse('handler.environment must map names of variables to strings, and no name may begin with TWINBELL_');
  elsif jsonb_typeof(handler -> 'successCodes') = 'array' and exists (
      select 1 from jsonb_array_elements(handler -> 'successCodes') as code
      where jsonb_typeof(code) <> 'number' or code #>> '{}' !~ '^\d{1,3}$' or (code #>> '{}')::int > 255) then
    perform twinbell.refuse('handler.successCodes must be a list of 1 to 50 exit codes from 0 to 255');
  end if;
end $$;

create or replace function twinbell.refuse_followers(link text, followers jsonb) returns void
  language plpgsql
as $$
declare
  follower jsonb;
begin
  if jsonb_typeof(followers) <> 'array' then
    return;
  elsif jsonb_array_length(followers) > 20 then
    perform twinbell.refuse(format('option %s must be a list of at most 20 tasks', link));
  end if;
  for follower in select * from jsonb_array_elements(followers) loop
    if jsonb_typeof(follower) not in ('string', 'object') then
      perform twinbell.refuse(format('each element of option %s must be a task', link), 'write a name, or {"app": …, "name": …}');
    elsif jsonb_typeof(follower) = 'object' then
      perform twinbell.refuse_others(format('option %s', link), follower, '{app,name}');
      perform twinbell.refuse_line(format('the name of a task in option %s', link), follower ->> 'name');
      if follower ->> 'app' is not null then
        perform twinbell.refuse_line(format('the app of a task in option %s', link), follower ->> 'app');
      end if;
    else
      perform twinbell.refuse_line(format('the name of a task in option %s', link), follower #>> '{}');
    end if;
  end loop;
end $$;

create or replace function twinbell.refuse_never(schedule jsonb, options jsonb) returns void
  language plpgsql
as $$
declare
  last_time constant timestamptz := (options ->> 'end')::timestamptz;
  since constant timestamptz := coalesce((options ->> 'start')::timestamptz, now());
  fire constant timestamptz := case
    when schedule ? 'at' then (schedule ->> 'at')::timestamptz
    when schedule ? 'in' then since + twinbell.duration_seconds(schedule ->> 'in') * interval '1 second' end;
begin
  if fire > last_time then
    perform twinbell.refuse(format('the schedule never fires: its fire time %s is after option end, %s',
      to_json(fire at time zone 'UTC') #>> '{}', options ->> 'end'));
  end if;
end $$;

create or replace function twinbell.warn_of_unknown_key(handler jsonb) returns void
  language plpgsql
as $$
begin
  if handler ->> 'type' = 'java' and handler ->> 'key' <> 'twinbell.noop' and exists (select 1 from twinbell.node_handlers)
    and not exists (select 1 from twinbell.node_handlers h where handler ->> 'key' = any (h.keys)) then
    raise warning using message = format('no node has a java handler with the key "%s"', left(handler ->> 'key', 200)),
      hint = 'slots of this task wait up to 15 minutes for a master that has this handler';
  end if;
end $$;

create or replace function twinbell.refuse_caller(may record, right_needed text, allowed boolean) returns void
  language plpgsql
as $$
begin
  if allowed is not true then
    raise exception using errcode = 'insufficient_privilege',
      message = format('role "%s" may not manage tasks %s', may.caller, right_needed),
      hint = 'the owner of the schema can allow it with twinbell.allow_caller(role, apps, handlers, secrets)';
  end if;
end $$;

create or replace function twinbell.allow_caller(role name, apps text[] default null, handlers text[] default '{http,java,log}',
    secrets boolean default false) returns void
  language plpgsql
as $$
begin
  if not exists (select 1 from pg_roles where rolname = allow_caller.role) then
    raise exception using errcode = 'undefined_object', message = format('role "%s" does not exist', allow_caller.role);
  elsif not handlers <@ '{http,sql,shell,java,log}' then
    perform twinbell.refuse(format('handlers must contain only http, sql, shell, java and log, not %s', handlers));
  end if;
  insert into twinbell.caller_right as r (role, apps, handlers, secrets) values (role, apps, handlers, secrets)
  on conflict on constraint caller_right_pkey do update
    set apps = excluded.apps, handlers = excluded.handlers, secrets = excluded.secrets;
end $$;

create or replace function twinbell.complete_sql_task(of_task bigint, of_fire bigint, of_attempt integer, of_epoch bigint, started_micros bigint,
    ended_micros bigint, told text, given_proof bytea) returns text
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  -- Triggers run in this function too. These settings keep a task's session settings from affecting them.
  set timezone = 'UTC' set datestyle = 'ISO' set intervalstyle = 'postgres' set jit = off
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  set enable_indexscan = on set enable_nestloop = on set row_security = on
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
      ended_at = to_timestamp(ended_micros / 1000000.0::float8), output = told, error = null, due_at = null,
      changed = pg_current_xact_id()
  where twinbell.same(e.task_id, of_task) and twinbell.same(e.fire_time, twinbell.instant(of_fire))
    and e.attempt = of_attempt and e.epoch = of_epoch and e.state || '' in ('CLAIMED', 'RUNNING');
  get diagnostics written = row_count;
  return case written when 1 then 'COMMITTED' else 'ENDED_BEFORE' end;
end $$;

create or replace function twinbell.admit_sql_role(role name) returns text
  language plpgsql
as $$
declare
  owner constant name := (select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'twinbell');
  row record;
  name_of_right text;
begin
  select oid, rolsuper, rolcreaterole, rolreplication, rolbypassrls into row from pg_roles where rolname = admit_sql_role.role;
  if not found then
    return format('role "%s" does not exist: create it with twinbell init-db', role);
  elsif row.rolsuper or row.rolcreaterole or row.rolreplication or row.rolbypassrls then
    return format('the role "%s" is a superuser, or may create roles, replicate or bypass row security', role);
  elsif pg_has_role(row.oid, owner, 'MEMBER') then
    return format('the role "%s" has the rights of "%s", which owns the scheduler''s tables', role, owner);
  elsif not pg_has_role(owner, row.oid, 'USAGE') then
    -- Otherwise a successor could not terminate its sessions.
    return format('the role "%s" must be granted to "%s": grant "%1$s" to "%2$s"', role, owner);
  elsif (select pg_has_role(row.oid, datdba, 'MEMBER') from pg_database where datname = current_database()) then
    return format('the role "%s" owns the database', role);
  end if;
  select rolname into name_of_right from pg_roles
  where rolname in ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files', 'pg_signal_backend',
      'pg_read_all_data', 'pg_write_all_data', 'pg_maintain', 'pg_read_all_settings', 'pg_monitor', 'pg_read_all_stats')
    and pg_has_role(row.oid, oid, 'MEMBER') limit 1;
  if name_of_right is not null then
    return format('the role "%s" is a member of %s', role, name_of_right);
  end if;
  select c.relname into name_of_right from pg_class c
  where c.relnamespace = 'twinbell'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and (has_table_privilege(row.oid, c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
      or has_any_column_privilege(row.oid, c.oid, 'SELECT, INSERT, UPDATE, REFERENCES')) limit 1;
  if name_of_right is not null then
    return format('the role "%s" has rights on twinbell.%s', role, name_of_right);
  end if;
  if not has_schema_privilege(row.oid, 'twinbell', 'USAGE') then
    execute format('grant usage on schema twinbell to %I', role);
  end if;
  if not has_function_privilege(row.oid,
      'twinbell.complete_sql_task(bigint, bigint, integer, bigint, bigint, bigint, text, bytea)', 'EXECUTE') then
    execute format('grant execute on function twinbell.complete_sql_task(bigint, bigint, integer, bigint, bigint, bigint,'
      ' text, bytea) to %I', role);
  end if;
  return null;
end $$;

create or replace function twinbell.refuse_url(url text) returns void
  language plpgsql
as $$
declare
  authority constant text := (regexp_match(url, '^[^:]+://([^/?#]*)'))[1];
  target constant text := regexp_replace(url, '^[^:]+://[^/?#]*', '');
  strange text;
begin
  if authority like '%@%' then
    perform twinbell.refuse('handler.url must not contain a user name or password', 'use an Authorization header');
  elsif url like '%#%' then
    perform twinbell.refuse('handler.url must not have a fragment', 'remove "#" and what follows it');
  end if;
  perform twinbell.refuse_host(authority);
  strange := substring(regexp_replace(target, '\$\{[^}]*\}?', '', 'g')
    from '[^][A-Za-z0-9._~!$&''()*+,;=:@/?%\u0080-\U0010ffff-]');
  if strange = ' ' then
    perform twinbell.refuse('handler.url must not contain a space', 'write %20');
  elsif strange is not null then
    perform twinbell.refuse(format('handler.url must not contain the character %s', to_json(strange)),
      format('write %%%s', upper(lpad(to_hex(ascii(strange)), 2, '0'))));
  -- In a template a value may complete an escape, so the node checks these.
  elsif target !~ '\$' and target ~ '%(?![0-9A-Fa-f]{2})' then
    perform twinbell.refuse('handler.url has a "%" without two hexadecimal digits after it', 'write %25 for the character itself');
  end if;
end $$;

create or replace function twinbell.refuse_statement(statement text) returns void
  language plpgsql
as $$
declare
  verbs constant text[] := '{select,insert,update,delete,merge,with,values,call,notify,truncate,refresh}';
  verb constant text := lower((regexp_match(statement,
    '^(?:\s|\(|--[^\n]*\n|/\*(?:[^*/]|\*(?!/)|/(?!\*))*\*/)*([A-Za-z_]+)'))[1] collate "C");
begin
  if verb <> all (verbs) then
    perform twinbell.refuse(format('handler.statement must not begin with %s', left(verb, 100)),
      'it must begin with one of ' || array_to_string(verbs, ', '));
  end if;
end $$;

create or replace function twinbell.refuse_host(authority text) returns void
  language plpgsql
as $$
declare
  advice constant text := 'a host name consists of letters, digits, "-", "_" and single dots';
  shown constant text := left(to_json(authority)::text, 200);
  host text := split_part(authority, ':', 1);
  port text := substr(authority, length(host) + 2);
  address text;
begin
  if authority like '[%' then
    address := substring(authority from '^\[([^]]*)\](?::.*)?$');
    port := substring(authority from '^\[[^]]*\]:(.*)$');
    if address is null or address !~ '^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$' or address like '%:::%' or address like '%::%::%'
      or address not like '%::%' and length(address) - length(replace(address, ':', ''))
        <> (case when address like '%.%' then 6 else 7 end) then
      perform twinbell.refuse(format('handler.url has an invalid host: %s', shown), 'write an IPv6 address as in [::1]');
    end if;
  elsif host = '' then
    perform twinbell.refuse('handler.url has no host', 'write http://HOST/PATH');
  elsif host ~ '(^\.|\.\.)' then
    perform twinbell.refuse(format('handler.url has an invalid host: %s', shown), advice);
  elsif host ~ '[\u00df\u03c2\u200c\u200d]' then
    perform twinbell.refuse(format('handler.url has a host with a character that standards convert in different ways: %s', shown),
      'write the ASCII form of the host, xn--…');
  elsif host !~ '[^\u0001-\u007f]' then
    host := regexp_replace(host, '\.$', '');
    if length(host) > 253 or exists (select 1 from unnest(string_to_array(host, '.')) as label where label !~ '^[A-Za-z0-9_-]{1,63}$') then
      perform twinbell.refuse(format('handler.url has an invalid host: %s', shown), advice);
    elsif host ~ '^[0-9]+(\.[0-9]+){3}$' and exists (
        select 1 from unnest(string_to_array(host, '.')) as octet where octet::numeric > 255) then
      perform twinbell.refuse(format('handler.url has an invalid IPv4 address: %s', shown));
    end if;
  end if;
  if port <> '' and (port !~ '^0*[1-9][0-9]{0,4}$' or port::numeric > 65535) then
    perform twinbell.refuse(format('handler.url has an invalid port: %s', left(port, 20)), 'a port is a number from 1 to 65535');
  end if;
end $$;

create or replace function twinbell.variable_problem(name text, data jsonb, place text) returns text
  language plpgsql immutable
as $$
declare
  path constant text[] := string_to_array(name, '.');
  step text;
  value jsonb;
  written text;
begin
  if name in ('slot', 'fireTime', 'attempt') then
    return null;
  elsif name like 'secret.%' then
    return case
      when substr(name, 8) !~ '^[A-Z][A-Z0-9_]{0,62}$' or name like '%\_FILE'
        then format('"%s" is not a valid name of a secret: use capital letters, digits and "_", such as BILLING_KEY', left(substr(name, 8), 100))
      when place <> 'header' then 'must not contain a secret' || case when place = 'statement' then '' else '; use a header' end
    end;
  elsif path[1] is distinct from 'data' or cardinality(path) > 32
    or exists (select 1 from unnest(path) as one where one !~ '^[A-Za-z0-9_-]{1,100}$') then
    return case when path[1] = 'alert' then 'this variable exists only in the webhook of an alert'
      else format('unknown variable "%s"; known are slot, fireTime, attempt, data, data.PATH and secret.NAME', left(name, 100)) end;
  end if;
  value := nullif(data, 'null');
  foreach step in array path[2:] loop
    -- Negative indexes, which count from the end, are not supported.
    value := case when jsonb_typeof(value) <> 'array' or step !~ '^-0*[1-9]' then value #> array[step] end;
  end loop;
  if value is null then
    return format('the task''s data has no "%s"', left(name, 200));
  end if;
  written := case jsonb_typeof(value) when 'string' then value #>> '{}' when 'null' then '' else value::text end;
  return case
    when place = 'header' and written !~ '^[\u0020-\u007e]*$' then 'a value in a header must be printable ASCII'
    when place = 'path' and written ~ '^\.*$' then 'a value in the path of a URL must not be empty or consist only of dots'
  end;
end $$;

create or replace function twinbell.refuse_statement_text(field text, statement text, own text[], data jsonb) returns void
  language plpgsql
as $body$
declare
  verbs constant text[] := '{select,insert,update,delete,merge,with,values,call,notify,truncate,refresh}';
  -- White space beyond ASCII as Java defines it; all other characters may begin a word.
  blanks constant text := '\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000';
  others constant text := '\u0080-\u167f\u1681-\u1fff\u2007\u200b-\u2027\u202a-\u205e\u2060-\u2fff\u3001-\U0010ffff';
  tokens constant text := '--[^\n]*'
    || '|/\*(?:[^*/]|\*(?!/)|/(?!\*))*\*/|/\*'
    || '|[\u0001-\u0020' || blanks || ']+'
    || '|[eE]''(?:[^''\\]|\\.|'''')*''|''(?:[^'']|'''')*''|"(?:[^"]|"")*"'
    || '|\$(?:[A-Za-z_][A-Za-z0-9_]*)?\$'
    || '|::|:[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*'
    || '|[uU]&|[A-Za-z_' || others || '][A-Za-z0-9_$\u0080-\U0010ffff]*'
    || '|[0-9][A-Za-z0-9' || others || ']*|.';
  rest text := statement;
  read int;
  token text := '';
  next_token text;
  before text;
  mark text;
  verb text;
  is_ended boolean := false;
  is_read boolean := false;
  depth int;
  problem text;
begin
  if length(statement) > 10000 then
    return;
  end if;
  -- Starts again after each nested comment and dollar quote, because no regular expression finds their end.
  for part in 1 .. 50 loop
    read := 0;
    mark := null;
    token := '';
    for next_token in select m[1] from regexp_matches(rest, tokens, 'g') as m loop
      before := token;
      token := next_token;
      read := read + length(token);
      continue when token ~ ('^[\u0001-\u0020' || blanks || ']') or token like '--%' or token like '/*_%';
      if token = '/*' then
        mark := token;
        exit;
      elsif is_ended then
        problem := 'must be one statement; write several statements as a list';
      elsif token = ';' then
        is_ended := true;
      -- An unclosed string with escapes was read as the letter e alone.
      elsif token in ('''', '"') or token like '''%' and before in ('e', 'E') then
        problem := 'has a quote that is not closed';
      elsif token ~ '^\$' then
        if length(token) > 1 then
          mark := token;
          exit;
        end if;
        problem := 'must use named parameters such as :slot or :data.id, not "$"';
      elsif token in ('u&', 'U&') then
        problem := 'must not contain U& escapes';
      elsif token ~* '^(twinbell|set_config)$' or token in ('"twinbell"', '"set_config"') then
        problem := format('must not contain the name "%s", which is reserved for Twinbell', lower(btrim(token, '"') collate "C"));
      elsif token ~ '^:[A-Za-z]' and substr(token, 2) <> all (own) then
        problem := twinbell.variable_problem(substr(token, 2), data, 'statement');
        if problem like 'unknown variable%' then
          problem := format('has the unknown parameter "%s"; known are :slot, :fireTime, :attempt, :data, :data.PATH and the names in "parameters"',
            left(token, 100));
        end if;
      elsif verb is null and token ~ '^[A-Za-z_\u0080-\U0010ffff]' then
        verb := lower(token collate "C");
        if verb <> all (verbs) then
          problem := 'must begin with one of ' || array_to_string(verbs, ', ');
        end if;
      end if;
      if problem is not null then
        perform twinbell.refuse(format('%s %s', field, problem));
      end if;
    end loop;
    if mark is null then
      is_read := true;
      exit;
    elsif mark = '/*' then
      rest := substr(rest, read + 1);
      depth := 1;
      read := 0;
      for token in select m[1] from regexp_matches(rest, '/\*|\*/|[^*/]+|.', 'g') as m loop
        read := read + length(token);
        depth := depth + case token when '/*' then 1 when '*/' then -1 else 0 end;
        exit when depth = 0;
      end loop;
      if depth > 0 then
        perform twinbell.refuse(format('%s has a comment that is not closed', field));
      end if;
      rest := substr(rest, read + 1);
    else
      rest := substr(rest, read + 1);
      if strpos(rest, mark) = 0 then
        perform twinbell.refuse(format('%s has a dollar quote that is not closed', field));
      end if;
      rest := substr(rest, strpos(rest, mark) + length(mark));
    end if;
  end loop;
  if verb is null and is_read then
    perform twinbell.refuse(format('%s must be an SQL statement', field));
  end if;
end $body$;

create or replace function twinbell.refuse_unknown_names(handler jsonb, data jsonb) returns void
  language plpgsql
as $$
declare
  target constant text := regexp_replace(handler ->> 'url', '^[^:]+://[^/?#]*', '');
  reserved constant text[] := '{slot,fireTime,attempt,data,secret}';
  own constant text[] := array(select jsonb_object_keys(
    case jsonb_typeof(handler -> 'parameters') when 'object' then handler -> 'parameters' else '{}' end));
  header record;
  one record;
begin
  if handler ->> 'type' = 'http' then
    perform twinbell.refuse_template('handler.url', split_part(target, '?', 1), data, 'path');
    perform twinbell.refuse_template('handler.url', substr(target, length(split_part(target, '?', 1)) + 1), data, 'query');
    perform twinbell.refuse_template('handler.body', handler ->> 'body', data, 'body');
    if jsonb_typeof(handler -> 'headers') = 'object' then
      for header in select key, value, count(*) over (partition by lower(key)) as times from jsonb_each_text(handler -> 'headers') loop
        if header.times > 1 then
          perform twinbell.refuse(format('handler.headers has %s twice', header.key), 'header names are not case-sensitive');
        end if;
        perform twinbell.refuse_template(format('handler.headers.%s', header.key), header.value, data, 'header');
      end loop;
    end if;
    if handler #>> '{secret,ref}' !~ '^[A-Z][A-Z0-9_]{0,62}$' or handler #>> '{secret,ref}' like '%\_FILE' then
      perform twinbell.refuse(format('handler.secret.ref is not a valid name of a secret: %s', left(handler #>> '{secret,ref}', 100)),
        'use capital letters, digits and "_", such as BILLING_KEY');
    end if;
  elsif handler ->> 'type' = 'sql' then
    if cardinality(own) > 100 then
      perform twinbell.refuse('handler.parameters must have at most 100 members');
    end if;
    for one in select key from unnest(own) as key where key !~ '^[A-Za-z][A-Za-z0-9_]{0,62}$' or key = any (reserved) limit 1 loop
      perform twinbell.refuse(format('handler.parameters contains %s, which is not an allowed name', left(to_json(one.key)::text, 100)),
        'use a letter, then letters, digits and "_"; reserved are ' || array_to_string(reserved, ', '));
    end loop;
    for one in select value #>> '{}' as statement, number from jsonb_array_elements(
        case jsonb_typeof(handler -> 'statement') when 'array' then handler -> 'statement' else jsonb_build_array(handler -> 'statement') end)
      with ordinality as list(value, number)
    loop
      perform twinbell.refuse_statement_text(case jsonb_typeof(handler -> 'statement')
        when 'array' then format('handler.statement/%s', one.number - 1) else 'handler.statement' end, one.statement, own, data);
    end loop;
  elsif handler ->> 'type' = 'shell' then
    if jsonb_typeof(handler -> 'environment') = 'object' and (select count(*) from jsonb_object_keys(handler -> 'environment')) > 100 then
      perform twinbell.refuse('handler.environment must have at most 100 members');
    elsif length(handler ->> 'workingDirectory') > 4096 or twinbell.has_hidden_characters(handler ->> 'workingDirectory') then
      perform twinbell.refuse('handler.workingDirectory must have at most 4096 characters and no control characters');
    end if;
  end if;
end $$;

-- Its checks are in refuse_options again.
drop function twinbell.refuse_earlier_options(jsonb);
