-- An application lists its executions and runs them again in its own transaction. Rights are those of the callers of add_task.

-- The execution as the HTTP API lists it.
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

-- Makes ended executions PENDING again, as the next attempts of their slots; the caller has locked their rows and knows that
-- they may run again. A slot that never started still has its first attempt; a finished attempt is added to the earlier ones.
-- After a success, the work begins again from the start, without the checkpoint.
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

create function twinbell.refuse_other_app(may record, app text) returns void
  language plpgsql
as $$
begin
  perform twinbell.refuse_caller(may, format('in the app "%s"', left(app, 200)), may.apps is null or app = any (may.apps));
end $$;
revoke all on function twinbell.refuse_other_app(record, text) from public;

create function twinbell.rerun_reason(reason text) returns text
  language plpgsql
as $$
begin
  if length(reason) > 500 then
    perform twinbell.refuse(format('reason must have at most 500 characters, not %s', length(reason)));
  elsif reason ~ '[\u0001-\u001f\u007f-\u009f]' then
    perform twinbell.refuse('reason must not contain control characters', 'a reason is one line');
  end if;
  return concat_ws(': ', 'run again by hand', reason);
end $$;
revoke all on function twinbell.rerun_reason(text) from public;

-- Checks a selection and returns the condition on twinbell.execution e, with literals: PostgreSQL uses a partial index only if
-- the values are known when the statement is planned.
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

-- The executions of an app, the newest fire time first.
create function twinbell.list_executions(app text, selection jsonb default '{}', most integer default 100, after text default null)
  returns setof jsonb
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
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

-- Runs an ended execution again, and returns it as the HTTP API does. The caller needs the rights to store its task.
create function twinbell.rerun_execution(id text, reason text default null) returns jsonb
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
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

-- Runs ended executions of an app again, oldest first, at most 10,000, and returns their number. The caller needs the rights to
-- store each of their tasks.
create function twinbell.rerun_executions(app text, selection jsonb, reason text default null) returns integer
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
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
