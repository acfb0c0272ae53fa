-- A stable code beside the text of an error, such as HTTP_503 or TIMEOUT, to filter by and to decide about.
alter table twinbell.execution add column error_code text;

-- Failed rows by their code. Only small partitions get it, today's and later ones, as in V36: an index on the whole ledger
-- would keep the master from writing while it is built. New partitions get it when they are created.
create index execution_error_code on only twinbell.execution (error_code, fire_time, task_id) where error_code is not null;

do $$
declare
  part text;
begin
  for part in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'twinbell.execution'::regclass
      and (c.relname = 'execution_default'
        or c.relname >= 'execution_' || to_char(clock_timestamp() at time zone 'UTC', 'YYYYMMDD'))
      and pg_relation_size(c.oid) < 64 * 1024 * 1024
  loop
    execute format('create index %I on twinbell.%I (error_code, fire_time, task_id) where error_code is not null',
      part || '_error_code', part);
    execute format('alter index twinbell.execution_error_code attach partition twinbell.%I', part || '_error_code');
  end loop;
end $$;

-- With the code of the error; the function without it stays for nodes of the previous version.
create function twinbell.with_attempt(attempts jsonb, attempt integer, state text, node text, epoch bigint,
                                      started_at timestamptz, ended_at timestamptz, error text, error_code text, reason text)
  returns jsonb
  language sql immutable parallel safe
  as $$
    select (case when jsonb_array_length(coalesce(attempts, '[]')) >= 50 then attempts - 0 else coalesce(attempts, '[]') end)
      || jsonb_strip_nulls(jsonb_build_object('attempt', attempt, 'state', state, 'node', node, 'epoch', epoch,
           'startedAt', twinbell.millis(started_at), 'endedAt', twinbell.millis(ended_at),
           'error', left(error, 1000), 'errorCode', error_code, 'reason', reason))
  $$;

-- The events of alerts name the code.
create or replace function twinbell.alert_of_execution() returns trigger
  language plpgsql
as $$
declare
  what text := case new.state when 'TIMED_OUT' then 'FAILED' else new.state end;
begin
  insert into twinbell.alert_event (alert, event, about)
  select a.name, what, jsonb_build_object('app', new.app, 'name', new.name, 'taskId', new.task_id,
      'fireTime', twinbell.instant_text(new.fire_time), 'untilFireTime', twinbell.instant_text(new.until_fire_time),
      'slots', new.slots, 'state', new.state, 'attempt', new.attempt, 'node', new.node, 'epoch', new.epoch,
      'error', left(new.error, 1000), 'errorCode', new.error_code, 'reason', left(new.reason, 1000))
  from twinbell.alert a where twinbell.alert_wants(a, what, new.app, new.name, new.task_id);
  return null;
end $$;

-- A success leaves no code of an earlier attempt.
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
      ended_at = to_timestamp(ended_micros / 1000000.0::float8), output = told, error = null, error_code = null, due_at = null,
      changed = pg_current_xact_id()
  where twinbell.same(e.task_id, of_task) and twinbell.same(e.fire_time, twinbell.instant(of_fire))
    and e.attempt = of_attempt and e.epoch = of_epoch and e.state || '' in ('CLAIMED', 'RUNNING');
  get diagnostics written = row_count;
  return case written when 1 then 'COMMITTED' else 'ENDED_BEFORE' end;
end $$;

-- A replaced function loses its settings. These are the ones that V29 gives it.
do $$
declare
  entry regprocedure;
  setting text;
begin
  for entry in select p.oid::regprocedure from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = 'twinbell' and p.proname = 'complete_sql_task' loop
    foreach setting in array array['standard_conforming_strings = on', 'array_nulls = on', 'transform_null_equals = off',
        'quote_all_identifiers = off', 'IntervalStyle = postgres', 'DateStyle = ISO', 'bytea_output = hex',
        'gin_fuzzy_search_limit = 0'] loop
      execute format('alter function %s set %s', entry, setting);
    end loop;
  end loop;
end $$;
