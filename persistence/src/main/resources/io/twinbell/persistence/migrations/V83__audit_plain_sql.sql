-- Entries about changes that only plain SQL makes: tables that are emptied, defaults and holds whose rows are deleted, and
-- roles that are admitted as nodes.

-- As audit_object, for the rows of a table that is truncated. It runs before the statement, while the rows are there.
-- Arguments: the kind of object, the column that names it, and the columns that entries do not show.
create function twinbell.audit_emptied() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
as $$
begin
  execute format(
    'insert into twinbell.audit_entry (actor, channel, address, request, kind, object, app, act, before)
     select o.actor, o.channel, o.address, o.request, $1, r.was ->> $2,
            case when $1 in (''LIMIT'', ''STANDING_PAUSE'', ''DEFAULTS'') and r.was ->> $2 like ''app:%%'' then substr(r.was ->> $2, 5)
              when $1 in (''TOKEN'', ''CALLER'') then null else r.was ->> ''app'' end,
            case $1 when ''HOLD'' then ''RELEASE'' else ''REMOVE'' end,
            twinbell.audit_value(jsonb_strip_nulls(r.was - string_to_array($3, '','')))
     from (select to_jsonb(t) as was from twinbell.%I t) r, twinbell.audit_origin() o
     where case $1
       when ''DEFAULTS'' then r.was -> ''content'' <> ''{}''
       when ''HOLD'' then r.was ->> ''held_at'' is not null
       else r.was ->> ''resumed_at'' is null end
     order by r.was ->> $2', tg_table_name)
    using tg_argv[0], tg_argv[1], tg_argv[2];
  return null;
end $$;
revoke all on function twinbell.audit_emptied() from public;

create trigger audit_emptied before truncate on twinbell.run_limit
  for each statement execute function twinbell.audit_emptied('LIMIT', 'key', 'created_at,updated_at');
create trigger audit_emptied before truncate on twinbell.calendar
  for each statement execute function twinbell.audit_emptied('CALENDAR', 'name', 'created_at,updated_at,source');
create trigger audit_emptied before truncate on twinbell.alert
  for each statement execute function twinbell.audit_emptied('ALERT', 'name', 'created_at,updated_at');
create trigger audit_emptied before truncate on twinbell.standing_pause
  for each statement execute function twinbell.audit_emptied('STANDING_PAUSE', 'key', 'id');
create trigger audit_emptied before truncate on twinbell.firing_pause
  for each statement execute function twinbell.audit_emptied('PAUSE', 'id', '');
create trigger audit_emptied before truncate on twinbell.takeover_hold
  for each statement execute function twinbell.audit_emptied('HOLD', '', 'id');
create trigger audit_emptied before truncate on twinbell.access_token
  for each statement execute function twinbell.audit_emptied('TOKEN', 'name', 'hash,old_hash,last_used_at');
create trigger audit_emptied before truncate on twinbell.caller_right
  for each statement execute function twinbell.audit_emptied('CALLER', 'role', '');
create trigger audit_emptied before truncate on twinbell.node_role
  for each statement execute function twinbell.audit_emptied('CALLER', 'role', '');
create trigger audit_emptied before truncate on twinbell.task_defaults
  for each statement execute function twinbell.audit_emptied('DEFAULTS', 'key', 'created_at,updated_at,followed_version');

-- A row that is already empty, or a hold that was released, is no loss.
create trigger audit_deleted after delete on twinbell.task_defaults
  for each row when (old.content <> '{}')
  execute function twinbell.audit_object('DEFAULTS', 'key', 'created_at,updated_at,followed_version');
create trigger audit_deleted after delete on twinbell.takeover_hold
  for each row when (old.held_at is not null) execute function twinbell.audit_object('HOLD', '', 'id');

-- Such a role may state the author of a change.
create trigger audit_changed after insert or update or delete on twinbell.node_role
  for each row execute function twinbell.audit_object('CALLER', 'role', '');
