-- A role that may call a trigger function can attach it to a table of its own. A function with the owner's rights would then
-- convert values of that role's types, and run that role's casts as the owner. PostgreSQL checks the right only when a trigger
-- is created, so no other role needs it.
do $$
declare
  own regprocedure;
  node name;
begin
  for own in select p.oid from pg_proc p
      where p.pronamespace = 'twinbell'::regnamespace and p.prorettype = 'trigger'::regtype loop
    execute format('revoke all on function %s from public', own);
    for node in select n.role from twinbell.node_role n join pg_roles r on r.rolname = n.role loop
      execute format('revoke all on function %s from %I', own, node);
    end loop;
  end loop;
end $$;

-- As before, but without trigger functions.
create or replace function twinbell.grant_to_nodes() returns void
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
        and p.prorettype <> 'trigger'::regtype
        and not has_function_privilege(node, p.oid, 'EXECUTE')
    loop
      execute format('grant execute on function %s to %I', object.name, node);
    end loop;
  end loop;
end $$;
