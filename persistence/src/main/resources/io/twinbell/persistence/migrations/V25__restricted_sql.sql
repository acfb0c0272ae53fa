-- Statements of sql tasks run in sessions that log in as a role with fewer rights (handlers.sql.user). That role can read and
-- write nothing here; it may call one function, which completes the one execution that its transaction is for.

-- Proves that its maker knows the owner token of an epoch, and says for what: nobody can make one for something else.
create function twinbell.proof(token uuid, message text) returns bytea
  language sql immutable
as $$
  select sha256(uuid_send(token) || sha256(uuid_send(token) || convert_to(message, 'UTF8')))
$$;

-- Enters the success of an execution in the transaction that did its work, as the recorder would. The proof is made by the node
-- for this execution, attempt and transaction, and sent when the statements have run: no statement of a task ever sees it, or
-- an owner token. Without it nothing is locked. Returns COMMITTED, or what is to be rolled back: SUPERSEDED, ENDED_BEFORE.
create function twinbell.complete_sql_task(of_task bigint, of_fire bigint, of_attempt integer, of_epoch bigint, started_micros bigint,
    ended_micros bigint, told text, given_proof bytea) returns text
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  -- Triggers run in it too: whatever a task has set for its session does not reach them.
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
      message = 'an execution is completed by its node alone, in the transaction that did its work';
  end if;
  delete from twinbell.failure_streak where task_id = of_task;
  -- Before the guard, which is not to be held while the same batch is spread elsewhere.
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
revoke all on function twinbell.complete_sql_task(bigint, bigint, integer, bigint, bigint, bigint, text, bytea) from public;

-- Lets a role run the statements of sql tasks, or says why it must not.
create function twinbell.admit_sql_role(role name) returns text
  language plpgsql
as $$
declare
  owner constant name := (select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'twinbell');
  row record;
  name_of_right text;
begin
  select oid, rolsuper, rolcreaterole, rolreplication, rolbypassrls into row from pg_roles where rolname = admit_sql_role.role;
  if not found then
    return format('there is no role "%s": twinbell init-db makes it', role);
  elsif row.rolsuper or row.rolcreaterole or row.rolreplication or row.rolbypassrls then
    return format('the role "%s" is a superuser, or may create roles, replicate or bypass row security', role);
  elsif pg_has_role(row.oid, owner, 'MEMBER') then
    return format('the role "%s" has the rights of "%s", which owns the scheduler''s tables', role, owner);
  elsif not pg_has_role(owner, row.oid, 'USAGE') then
    -- Else a successor could not end its sessions.
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
revoke all on function twinbell.admit_sql_role(name) from public;
