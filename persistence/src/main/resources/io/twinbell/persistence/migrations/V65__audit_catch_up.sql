-- Enters one entry for each task with the slots that the running transaction caught up. Every role may call it, because an
-- application resumes a task in a transaction of its own; it names only rows that this transaction has written.
create function twinbell.audit_catch_up(task_ids bigint[], fire_millis bigint[]) returns void
  language sql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
as $$
  insert into twinbell.audit_entry (actor, channel, address, request, kind, object, app, name, act, after, items)
  select o.actor, o.channel, o.address, o.request, 'TASK', c.task_id::text, c.app, c.name, 'CATCH_UP',
         twinbell.audit_value(jsonb_build_object('slots', c.slots, 'from', twinbell.instant_text(c.first_fire),
           'until', twinbell.instant_text(c.last_fire))), c.slots
  from (
    select e.task_id, e.app, e.name, count(*) as slots, min(e.fire_time) as first_fire, max(e.fire_time) as last_fire
    from unnest(task_ids, fire_millis) as w(id, fire)
      join twinbell.execution e on e.task_id = w.id and e.fire_time = twinbell.instant(w.fire)
    where e.origin = 'CAUGHT_UP' and e.state = 'PENDING' and e.attempt = 1 and e.changed = pg_current_xact_id()
    group by e.task_id, e.app, e.name
  ) c, twinbell.audit_origin() o
  order by c.task_id
$$;
