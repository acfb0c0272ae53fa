-- Nodes may log in as a role that does not own the schema. They then read and write the tables, but create and drop nothing,
-- and change no entry of the audit. Functions of the owner create and drop what a node needs.

-- The roles of nodes. Empty where nodes log in as the owner of the schema.
create table twinbell.node_role (
  role       name primary key,
  -- A node may drop only older days of the audit.
  audit_days integer not null check (audit_days > 0)
);

create function twinbell.is_node(caller name) returns boolean
  language plpgsql stable
as $$
begin
  return exists (select from twinbell.node_role n join pg_catalog.pg_roles r on r.rolname = n.role
                 where pg_catalog.pg_has_role(caller, r.oid, 'MEMBER'));
end $$;

-- Gives the roles of nodes their rights on all objects of the schema; called after each migration. Days of the ledger and
-- of the audit are reached through their parents.
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
        and not has_function_privilege(node, p.oid, 'EXECUTE')
    loop
      execute format('grant execute on function %s to %I', object.name, node);
    end loop;
  end loop;
end $$;

-- Lets nodes log in as that role. The owner calls this. Returns whether that is new.
create function twinbell.admit_node(role name, audit_days integer) returns boolean
  language plpgsql
as $$
declare
  is_new boolean;
begin
  if pg_has_role(admit_node.role, (select nspowner from pg_namespace where nspname = 'twinbell'), 'MEMBER') then
    perform twinbell.refuse(format('the role "%s" has the rights of the owner of the schema already', admit_node.role));
  end if;
  insert into twinbell.node_role as n (role, audit_days) values (admit_node.role, admit_node.audit_days)
  on conflict on constraint node_role_pkey do update set audit_days = excluded.audit_days
  where n.audit_days <> excluded.audit_days;
  is_new := found;
  perform twinbell.grant_to_nodes();
  return is_new;
end $$;

alter function twinbell.ensure_partitions() security definer;
alter function twinbell.ensure_partitions() set search_path = pg_catalog, pg_temp;
alter function twinbell.ensure_audit_partitions() security definer;
alter function twinbell.ensure_audit_partitions() set search_path = pg_catalog, pg_temp;

-- Takes a past day out of the ledger. Returns false if the day contains executions without an outcome.
create function twinbell.detach_ledger_day(day date) returns boolean
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  partition constant text := 'execution_' || to_char(day, 'YYYYMMDD');
  is_unfinished boolean;
begin
  if day >= (clock_timestamp() at time zone 'UTC')::date then
    perform twinbell.refuse(format('%s is not over, so the ledger keeps it', day));
  end if;
  execute format(
    'select exists (select from twinbell.%I e where e.state in (''PENDING'', ''CLAIMED'', ''RUNNING'', ''RETRYING'')
       or exists (select from twinbell.claim_batch b where b.epoch = e.epoch and b.batch = e.batch))', partition)
    into is_unfinished;
  if is_unfinished then
    return false;
  end if;
  execute format('alter table twinbell.execution detach partition twinbell.%I', partition);
  return true;
end $$;

-- Drops a day that was taken out of the ledger.
create function twinbell.drop_ledger_day(day date) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  partition constant text := 'execution_' || to_char(day, 'YYYYMMDD');
begin
  if (select c.relispartition from pg_class c where c.oid = to_regclass(format('twinbell.%I', partition))) then
    perform twinbell.refuse(format('the ledger still contains %s', partition));
  end if;
  execute format('drop table if exists twinbell.%I', partition);
end $$;

-- As before, but a node that does not own the schema drops no day that its owner wants to keep.
create or replace function twinbell.drop_audit_day(keep integer) returns text
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
as $$
declare
  kept constant integer := case when pg_has_role(session_user, current_user, 'USAGE') then keep
    else greatest(keep, (select max(audit_days) from twinbell.node_role)) end;
  oldest constant date := (clock_timestamp() at time zone 'UTC')::date - kept;
  partition text;
begin
  if keep is null or keep < 1 then
    perform twinbell.refuse(format('the audit keeps at least one day, not %s', keep));
  end if;
  select c.relname into partition from pg_class c
  where c.relnamespace = 'twinbell'::regnamespace and c.relkind = 'r' and c.relname ~ '^audit_entry_[0-9]{8}$'
    and to_date(right(c.relname, 8), 'YYYYMMDD') < oldest
  order by c.relname limit 1;
  if partition is not null then
    grant delete on twinbell.audit_seal to current_user;
    delete from twinbell.audit_seal where day <= to_date(right(partition, 8), 'YYYYMMDD') + 1;
    revoke delete on twinbell.audit_seal from current_user;
    execute format('drop table twinbell.%I', partition);
  end if;
  return partition;
end $$;

-- As before, but nodes are believed that do not own the schema, too.
create or replace function twinbell.audit_origin() returns twinbell.audit_origin
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  session constant text := current_setting('application_name');
  stated jsonb;
  origin twinbell.audit_origin;
begin
  if pg_has_role(session_user, current_user, 'USAGE') or twinbell.is_node(session_user) then
    stated := nullif(current_setting('twinbell.actor', true), '')::jsonb;
    if stated is not null then
      origin.actor := left(stated ->> 'actor', 300);
      origin.channel := stated ->> 'channel';
      origin.address := left(stated ->> 'address', 100);
      origin.request := left(stated ->> 'request', 500);
      return origin;
    elsif session ~ '^twinbell/[0-9a-f]{8}-[0-9a-f]{4}/' then
      origin.actor := 'node ' || coalesce(nullif(split_part(session, '/', 4), ''), '?');
      origin.channel := 'NODE';
    end if;
  end if;
  if origin.actor is null then
    origin.actor := 'role ' || session_user;
    origin.channel := 'SQL';
    origin.request := nullif(session, '');
  end if;
  origin.address := host(inet_client_addr());
  return origin;
end $$;

-- As before, but nodes may do everything that the owner may.
create or replace function twinbell.caller(out caller name, out apps text[], out handlers text[], out secrets boolean)
  language plpgsql stable
as $$
declare
  owner constant name := (select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'twinbell');
begin
  caller := coalesce(nullif(current_setting('role'), 'none'), session_user::text);
  if pg_has_role(caller, owner, 'MEMBER') or twinbell.is_node(caller) then
    handlers := '{http,sql,shell,java,log}';
    secrets := true;
    return;
  end if;
  select case when bool_or(r.apps is null) then null
           else array(select distinct app from twinbell.caller_right o, unnest(o.apps) as app
                      where o.role in (select rolname from pg_roles where pg_has_role(caller, oid, 'MEMBER'))) end,
         coalesce(array(select distinct handler from twinbell.caller_right o, unnest(o.handlers) as handler
                        where o.role in (select rolname from pg_roles where pg_has_role(caller, oid, 'MEMBER'))), '{}'),
         bool_or(r.secrets)
  into apps, handlers, secrets
  from twinbell.caller_right r join pg_roles p on p.rolname = r.role
  where pg_has_role(caller, p.oid, 'MEMBER');
  if secrets is null then
    apps := null;
    handlers := '{http,java,log}';
    secrets := false;
  end if;
end $$;

-- As before, but for nodes that do not own the schema, too: the owner gives the role its two rights.
create or replace function twinbell.admit_sql_role(role name) returns text
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  owner constant name := (select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'twinbell');
  node constant name := coalesce(nullif(current_setting('role'), 'none'), session_user::text);
  row record;
  name_of_right text;
begin
  select oid, rolname, rolsuper, rolcreaterole, rolreplication, rolbypassrls into row
  from pg_roles where rolname = admit_sql_role.role;
  if not found then
    return format('role "%s" does not exist: create it with twinbell init-db', role);
  elsif row.rolsuper or row.rolcreaterole or row.rolreplication or row.rolbypassrls then
    return format('the role "%s" is a superuser, or may create roles, replicate or bypass row security', role);
  elsif pg_has_role(row.oid, owner, 'MEMBER') then
    return format('the role "%s" has the rights of "%s", which owns the scheduler''s tables', role, owner);
  elsif twinbell.is_node(row.rolname) then
    return format('the role "%s" has the rights of the nodes'' role', role);
  elsif not pg_has_role(node, row.oid, 'USAGE') then
    -- Otherwise a successor could not terminate its sessions.
    return format('the role "%s" must be granted to "%s": grant "%1$s" to "%2$s"', role, node);
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

revoke all on function twinbell.grant_to_nodes(), twinbell.admit_node(name, integer), twinbell.ensure_partition(date),
  twinbell.ensure_partitions(), twinbell.detach_ledger_day(date), twinbell.drop_ledger_day(date) from public;
