-- As before, but cheaper: add_task calls this for each task, and a function in SQL would be planned again each time.
create or replace function twinbell.defaulted(of_app text) returns text[]
  language plpgsql stable parallel safe
as $$
begin
  if not exists (select from twinbell.task_defaults) then
    return '{}';
  end if;
  return (
    select coalesce(array_agg(distinct member), '{}')
    from twinbell.task_defaults d cross join lateral jsonb_object_keys(d.content) as member
    where d.key in ('cluster', 'app:' || of_app));
end $$;

-- As before, but with a short way for the usual statement, which adds one task.
create or replace function twinbell.audit_added_tasks() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
as $$
declare
  first twinbell.task;
  is_once boolean;
begin
  select * into first from added limit 1;
  if not found then
    return null;
  end if;
  if not exists (select from added a where a.id <> first.id) then
    is_once := coalesce(first.definition -> 'schedule' ?| array['at', 'in'], false);
    insert into twinbell.audit_entry (actor, channel, address, request, kind, object, app, name, act, after)
    select o.actor, o.channel, o.address, o.request, 'TASK', first.id::text, first.app, first.name, 'CREATE',
           case when is_once then '{"once": true}' else twinbell.audit_task(first) end
    from twinbell.audit_origin() o;
    return null;
  end if;
  insert into twinbell.audit_entry (actor, channel, address, request, kind, object, app, name, act, after, items)
  select o.actor, o.channel, o.address, o.request, 'TASK', a.object, a.app, a.name, 'CREATE', a.after, a.items
  from (
    select t.id::text as object, t.app, t.name, twinbell.audit_task(t) as after, 1 as items
    from added t where not coalesce(t.definition -> 'schedule' ?| array['at', 'in'], false)
    union all
    select case when count(*) = 1 then min(id)::text end, app, case when count(*) = 1 then min(name) end,
           case when count(*) > 1 then jsonb_build_object('once', true, 'names', to_jsonb((array_agg(name order by id))[1:10]))
             else '{"once": true}' end, count(*)
    from added where definition -> 'schedule' ?| array['at', 'in'] group by app
  ) a, twinbell.audit_origin() o;
  return null;
end $$;

-- As before, but entries about defaults name their app, and say when defaults were removed or set again.
create or replace function twinbell.audit_object() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
as $$
declare
  hidden constant text[] := string_to_array(tg_argv[2], ',');
  was constant jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  becomes constant jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  object constant text := coalesce(becomes, was) ->> tg_argv[1];
  act text := case tg_op when 'INSERT' then 'CREATE' when 'UPDATE' then 'CHANGE' else 'REMOVE' end;
begin
  if tg_op = 'UPDATE' and was = becomes then
    return null;
  end if;
  case tg_argv[0]
    when 'TOKEN' then
      if tg_op = 'UPDATE' and old.hash <> new.hash then
        act := 'ROTATE';
      end if;
    when 'PAUSE', 'STANDING_PAUSE' then
      if tg_op = 'DELETE' and old.resumed_at is not null or tg_op = 'UPDATE' and new.resumed_at = new.paused_until then
        -- It ended at the time that it was given, and its row is kept for a while.
        return null;
      end if;
      act := case when tg_op = 'INSERT' then 'PAUSE' when tg_op = 'DELETE' then 'REMOVE'
        when old.resumed_at is null and new.resumed_at is not null then 'RESUME' else 'CHANGE' end;
    when 'HOLD' then
      act := case when new.held_at is null then 'RELEASE' else 'HOLD' end;
    when 'ROLE' then
      act := 'MOVE';
    when 'DEFAULTS' then
      -- Removed defaults leave a row without content.
      act := case when new.content = '{}' then 'REMOVE' when was ->> 'content' is distinct from '{}' then act else 'CREATE' end;
    else
      null;
  end case;
  insert into twinbell.audit_entry (actor, channel, address, request, kind, object, app, act, before, after)
  select o.actor, o.channel, o.address, o.request, tg_argv[0], object,
         case when tg_argv[0] in ('LIMIT', 'STANDING_PAUSE', 'DEFAULTS') and object like 'app:%' then substr(object, 5)
           when tg_argv[0] in ('TOKEN', 'CALLER') then null else coalesce(becomes, was) ->> 'app' end, act,
         twinbell.audit_value(jsonb_strip_nulls(was - hidden)), twinbell.audit_value(jsonb_strip_nulls(becomes - hidden))
  from twinbell.audit_origin() o;
  return null;
end $$;
