-- Removes a task as remove_task does, and tells whether it came in time: false if there is no such task, or if it has fired for
-- the last time. A task that is claimed now counts as fired.
create function twinbell.cancel_task(app text, name text) returns boolean
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
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
  select s.task_id as id, s.state <> 'FINISHED' or exists (select from twinbell.arrival a where a.task_id = s.task_id) as fires
  into found_task from twinbell.task_state s where s.task_id = found_task.id for update;
  return twinbell.remove_task(found_task.id) and found_task.fires;
end $$;
revoke all on function twinbell.cancel_task(text, text) from public;

-- Who may remove tasks by their name may cancel them. The same settings as remove_task has.
do $$
declare
  granted record;
  setting text;
begin
  for granted in
    select acl.grantee, acl.is_grantable from pg_proc p, aclexplode(p.proacl) as acl
    where p.oid = 'twinbell.remove_task(text, text)'::regprocedure and acl.privilege_type = 'EXECUTE'
      and acl.grantee not in (0, p.proowner)
  loop
    execute format('grant execute on function twinbell.cancel_task(text, text) to %s%s', granted.grantee::regrole,
      case when granted.is_grantable then ' with grant option' else '' end);
  end loop;
  foreach setting in array array['standard_conforming_strings = on', 'array_nulls = on', 'transform_null_equals = off',
      'quote_all_identifiers = off', 'IntervalStyle = postgres', 'DateStyle = ISO', 'bytea_output = hex',
      'gin_fuzzy_search_limit = 0', 'extra_float_digits = 1'] loop
    execute format('alter function twinbell.cancel_task(text, text) set %s', setting);
  end loop;
end $$;
