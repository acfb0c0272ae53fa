-- Who may do what: tokens of the HTTP API, database roles of nodes, and roles that schedule from SQL. At the end, what
-- keeps chains of tasks from going round these rights.

-- Tokens of the HTTP API. Only SHA-256 of a token is stored: it has 256 random bits, so the hash cannot be reversed.
create table twinbell.access_token (
  name         text primary key check (length(name) between 1 and 100),
  hash         bytea not null unique check (length(hash) = 32),
  -- The token before the latest rotation, which is valid for a while.
  old_hash     bytea unique check (length(old_hash) = 32),
  old_until    timestamptz,
  role         text not null check (role in ('VIEWER', 'OPERATOR', 'EDITOR', 'ADMIN')),
  -- Empty for all apps.
  apps         text[] not null,
  -- Rights to tasks that run SQL or shell commands, or use secrets.
  grants       text[] not null check (grants <@ array['SQL', 'SHELL', 'SECRETS']),
  created_at   timestamptz not null default clock_timestamp(),
  expires_at   timestamptz,
  -- Correct within some minutes, because a request does not write.
  last_used_at timestamptz,
  check ((old_hash is null) = (old_until is null)),
  constraint access_token_finite_check check (isfinite(old_until) and isfinite(created_at) and isfinite(expires_at)
    and isfinite(last_used_at))
);


-- Nodes may log in as a role that does not own the schema. They then read and write the tables, but create and drop
-- nothing, and change no entry of the audit. Functions with the owner's rights create and drop what a node needs.

-- The roles of nodes. Empty if nodes log in as the owner of the schema.
create table twinbell.node_role (
  role       name primary key,
  -- A node drops only days of the audit that are older than this.
  audit_days integer not null check (audit_days > 0)
);

-- Whether the role is that of a node, or a member of it. Such a role may do everything, and is believed whom it acts
-- for.
create function twinbell.is_node(caller name) returns boolean
  language plpgsql stable
as $$
begin
  return exists (select from twinbell.node_role n join pg_catalog.pg_roles r on r.rolname = n.role
                 where pg_catalog.pg_has_role(caller, r.oid, 'MEMBER'));
end $$;

-- Lets nodes log in as that role. The owner calls this by init-db. Returns whether anything changed.
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

-- Lets a role run the statements of sql tasks, for a node that starts: returns null, or why the role must not.
create function twinbell.admit_sql_role(role name) returns text
  language plpgsql security definer
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
  if not has_schema_privilege(row.oid, 'twinbell'::regnamespace::oid, 'USAGE') then
    execute format('grant usage on schema twinbell to %I', role);
  end if;
  if not has_function_privilege(row.oid,
      'twinbell.complete_sql_task(bigint, bigint, integer, bigint, bigint, bigint, text, bytea)', 'EXECUTE') then
    execute format('grant execute on function twinbell.complete_sql_task(bigint, bigint, integer, bigint, bigint, bigint,'
      ' text, bytea) to %I', role);
  end if;
  return null;
end $$;


-- Roles that schedule from SQL call functions that run with the owner's rights, so what a role may have its tasks do is
-- said here. A role without a row, neither its own nor of a role that it is a member of, may have http, java and log
-- tasks of every app, without secrets. The owner, its members, nodes and superusers may do everything.
create table twinbell.caller_right (
  role     name primary key,
  -- Null for all.
  apps     text[],
  handlers text[] not null check (handlers <@ '{http,sql,shell,java,log}'),
  secrets  boolean not null
);

-- Says what a role may have tasks do, in place of what was said before. Only the schema's owner and superusers may call
-- it.
create function twinbell.allow_caller(role name, apps text[] default null, handlers text[] default '{http,java,log}',
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

-- What the current caller may do, for every function that is called from SQL. In a function that runs with the rights
-- of its owner, current_user is the owner; the role that called is the one of SET ROLE, or else the one that has logged
-- in.
create function twinbell.caller(out caller name, out apps text[], out handlers text[], out secrets boolean)
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

-- Refuses a caller that lacks a right, for the functions below.
create function twinbell.refuse_caller(may record, right_needed text, allowed boolean) returns void
  language plpgsql
as $$
begin
  if allowed is not true then
    raise exception using errcode = 'insufficient_privilege',
      message = format('role "%s" may not manage tasks %s', may.caller, right_needed),
      hint = 'the owner of the schema can allow it with twinbell.allow_caller(role, apps, handlers, secrets)';
  end if;
end $$;

-- Refuses a caller that may not manage tasks of this app, for functions that list or change executions.
create function twinbell.refuse_other_app(may record, app text) returns void
  language plpgsql
as $$
begin
  perform twinbell.refuse_caller(may, format('in the app "%s"', left(app, 200)), may.apps is null or app = any (may.apps));
end $$;

-- What a caller lacks to have such a task: by its handler type, its app and the apps of its followers; null if nothing.
-- A role without the right to use secrets may not use profiles either, because these contain keys and passwords. Apps
-- are null for all.
create function twinbell.lacking_right(apps text[], handlers text[], secrets boolean, app text, handler jsonb, options jsonb)
  returns text
  language sql immutable parallel safe
as $$
  select case
    when handler ->> 'type' <> all (handlers) then 'with the handler type ' || (handler ->> 'type')
    when not secrets and handler ->> 'type' = 'http' and (handler ? 'secret' or handler::text ~ '\$\{\s*secret')
      then 'that use secrets'
    when not secrets and handler ->> 'type' = 'http' and handler ->> 'profile' is not null then 'that use http profiles'
    when app <> all (apps) then 'in the app "' || left(app, 200) || '"'
    when apps is not null then
      (select 'that are followed by one in the app "' || left(f ->> 'app', 200) || '"'
       from twinbell.followers(options) as f where f ->> 'app' <> all (apps) limit 1)
  end
$$;

-- Refuses a caller that may not have such a task, for add_task and reruns.
create function twinbell.refuse_for_caller(may record, app text, handler jsonb, options jsonb) returns void
  language plpgsql
as $$
declare
  lacks constant text := twinbell.lacking_right(may.apps, may.handlers, may.secrets, app, handler, options);
begin
  perform twinbell.refuse_caller(may, lacks, lacks is null);
end $$;

-- Refuses what would exceed a quota of an app, for check_quotas. Applications recognise the error by its SQLSTATE.
create function twinbell.refuse_over_quota(key text, of_app text, most bigint, unit text, present bigint, more bigint)
  returns void
  language plpgsql
as $$
begin
  if present + more > most then
    raise exception using errcode = '54T01',
      message = format('%s allows app "%s" %s %s; it has %s, and this adds %s', key, of_app, most, unit, greatest(present, 0), more);
  end if;
end $$;


-- Chains do not go round rights. Each task remembers what the author who stored it last may not use: handler types, and
-- 'secrets', each with the name of the right (twinbell.task.lacking). The run of a follower inherits that from all
-- tasks before it, and does not start if its own handler needs one of these. So it does not matter when, and by whom,
-- the follower is stored or changed. Only tasks with followers need this.

-- What the author of this change may not use. Null if the node makes it by itself, or a role that may use everything.
create function twinbell.lacking_of_caller() returns jsonb
  language plpgsql stable
as $$
declare
  may record;
  stated jsonb;
begin
  select * into may from twinbell.caller();
  if may.secrets and may.handlers @> '{http,sql,shell,java,log}' then
    stated := nullif(current_setting('twinbell.actor', true), '')::jsonb;
    return case when stated is not null then (select coalesce(jsonb_object_agg(word, format('grant "%s"', word)), '{}')
      from jsonb_array_elements_text(coalesce(stated -> 'lacking', '[]')) as word) end;
  end if;
  return (select coalesce(jsonb_object_agg(type, format('right to the handler type "%s"', type)), '{}')
      from unnest('{http,sql,shell,java,log}'::text[]) as type where type <> all (may.handlers))
    || case when may.secrets then '{}' else '{"secrets": "right to use secrets"}' end::jsonb;
end $$;

-- The first of these that the handler uses; null if it uses none.
create function twinbell.first_lacking(lacking jsonb, handler jsonb) returns text
  language sql immutable parallel safe
as $$
  select l from jsonb_object_keys(lacking) as l
  where l = handler ->> 'type'
    or l = 'secrets' and (handler ->> 'profile' is not null or handler @? '$.**.secret ? (@ != null)' or handler::text ~ '\$\{\s*secret')
  limit 1
$$;

-- For each of these, the reason for which a run that needs it does not start.
create function twinbell.because_lacking(lacking jsonb, who text, remedy text) returns jsonb
  language sql immutable parallel safe
as $$
  select coalesce(jsonb_object_agg(key, format('%s has no %s; %s with the %s', who, value, remedy, split_part(value, ' ', 1))), '{}')
  from jsonb_each_text(lacking)
$$;

-- Refuses a change whose author lacks a right.
create function twinbell.refuse_without(what text, needed text) returns void
  language plpgsql
as $$
begin
  raise exception using errcode = 'insufficient_privilege', constraint = 'task_chain_grants',
    message = format('%s may not %s: it needs the %s', coalesce(nullif(current_setting('twinbell.actor', true), '')::jsonb ->> 'actor',
      format('the role "%s"', (select c.caller from twinbell.caller() as c))), what, needed);
end $$;

-- Refuses a definition that leads, through any number of tasks, to one that exists and needs what its author may not
-- use. The triggers below call it, so that an author learns at once of what would not run.
create function twinbell.refuse_chain(lacks jsonb, of_app text, definition jsonb) returns void
  language plpgsql stable
as $$
declare
  found_task record;
begin
  if coalesce(lacks, '{}') = '{}' then
    return;
  end if;
  with recursive led as (
    select coalesce(f ->> 'app', of_app) as app, coalesce(f ->> 'name', f #>> '{}') as name from twinbell.followers(definition) as f
    union
    select f ->> 'app', f ->> 'name'
    from led join twinbell.task t on t.app = led.app and t.name = led.name
      join twinbell.definition d on d.id = t.definition_id cross join twinbell.followers(d.content) as f
  )
  select t.app, t.name, twinbell.first_lacking(lacks, d.content -> 'handler') as needed into found_task
  from led join twinbell.task t on t.app = led.app and t.name = led.name join twinbell.definition d on d.id = t.definition_id
  where twinbell.first_lacking(lacks, d.content -> 'handler') is not null
  order by 1, 2 limit 1;
  if found then
    perform twinbell.refuse_without(format('lead a chain to the task %s/%s', left(found_task.app, 200), left(found_task.name, 200)),
      lacks ->> found_task.needed);
  end if;
end $$;

-- Notes what the author of a task lacks. The master is no author: when it stores a replacement, it states what the
-- author of that lacked; when it writes a definition anew for another reason, what the author lacked stays. These
-- transactions of the master are those that are exempt from quotas.
create function twinbell.note_lacking() returns trigger
  language plpgsql security definer
as $$
declare
  lacks constant jsonb := twinbell.lacking_of_caller();
begin
  new.lacking := coalesce(lacks,
    nullif(current_setting('twinbell.replaced', true), '')::jsonb -> jsonb_build_array(new.app, new.name)::text,
    case when tg_op = 'UPDATE' and current_setting('twinbell.quotas', true) = 'exempt' then old.lacking end, '{}');
  perform twinbell.refuse_chain(lacks, new.app, d.content) from twinbell.definition d where d.id = new.definition_id;
  return new;
end $$;
create trigger note_lacking before insert or update of definition_id on twinbell.task
  for each row when (new.chained) execute function twinbell.note_lacking();

-- Notes the same of an author who replaces a task, until the master stores the replacement.
create function twinbell.note_lacking_of_replacement() returns trigger
  language plpgsql security definer
as $$
begin
  new.lacking := coalesce(twinbell.lacking_of_caller(), '{}');
  perform twinbell.refuse_chain(new.lacking, new.replacement ->> 'app', new.replacement);
  return new;
end $$;
create trigger note_lacking before insert or update of replacement on twinbell.arrival
  for each row when (new.replacement ? 'then' or new.replacement ? 'thenOnFailure')
  execute function twinbell.note_lacking_of_replacement();

-- Other data for a run by hand changes what its followers are given, as a change of the task would: the caller needs
-- the same rights, and the followers of the run inherit what the caller lacks.
create function twinbell.refuse_chain_of_run() returns trigger
  language plpgsql security definer
as $$
declare
  lacks constant jsonb := twinbell.lacking_of_caller();
begin
  perform twinbell.refuse_chain(lacks, t.app, d.content)
  from twinbell.task t join twinbell.definition d on d.id = t.definition_id where t.id = new.task_id and t.chained;
  if lacks <> '{}' then
    new.parent := coalesce(new.parent, '{}') || jsonb_build_object('lacking', twinbell.because_lacking(lacks,
      format('the caller who triggered %s/%s with other data', new.app, new.name), 'trigger that task again'));
  end if;
  return new;
end $$;
create trigger refuse_chain before insert on twinbell.execution
  for each row when (new.data is not null and new.state = 'PENDING') execute function twinbell.refuse_chain_of_run();

-- Passes on what the tasks before a follower lack, and skips the follower if its handler needs one of these.
create function twinbell.refuse_follower() returns trigger
  language plpgsql security definer
as $$
declare
  before constant bigint := (new.parent #>> '{task,id}')::bigint;
  inherited jsonb;
  lacks jsonb;
  needed text;
begin
  select e.parent -> 'lacking' into inherited
  from twinbell.execution e where e.task_id = before and e.fire_time = (new.parent ->> 'fireTime')::timestamptz;
  select twinbell.because_lacking(t.lacking, format('the last author of %s/%s', t.app, t.name), 'store that task again') into lacks
  from twinbell.task t where t.id = before;
  lacks := coalesce(inherited, '{}') || coalesce(lacks, '{}');
  if lacks <> '{}' then
    new.parent := new.parent || jsonb_build_object('lacking', lacks);
    select twinbell.first_lacking(lacks, d.content -> 'handler') into needed
    from twinbell.task t join twinbell.definition d on d.id = t.definition_id where t.id = new.task_id;
    if new.state = 'PENDING' and needed is not null then
      new.state := 'SKIPPED';
      new.ended_at := clock_timestamp();
      new.reason := format('%s, not run: %s', new.reason, lacks ->> needed);
    end if;
  end if;
  return new;
end $$;
create trigger refuse_follower before insert on twinbell.execution
  for each row when (new.origin = 'CHAINED') execute function twinbell.refuse_follower();

-- A rerun takes the right that was lacking, if the task's handler needs it now.
create function twinbell.refuse_rerun() returns trigger
  language plpgsql security definer
as $$
declare
  lacks constant jsonb := (select jsonb_object_agg(key, value) from jsonb_each(twinbell.lacking_of_caller())
    where new.parent -> 'lacking' ? key);
  needed text;
begin
  select twinbell.first_lacking(lacks, d.content -> 'handler') into needed
  from twinbell.task t join twinbell.definition d on d.id = t.definition_id where t.id = new.task_id;
  if needed is not null then
    perform twinbell.refuse_without(format('run %s/%s again', left(new.app, 200), left(new.name, 200)), lacks ->> needed);
  end if;
  return new;
end $$;
create trigger refuse_rerun before update of state on twinbell.execution
  for each row when (new.state = 'PENDING' and new.parent ? 'lacking'
    and old.state in ('SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED', 'MISSED', 'DROPPED'))
  execute function twinbell.refuse_rerun();
