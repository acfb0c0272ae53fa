-- An alert can be limited to failures with some error codes. A code with * at its end stands for all that begin so.
alter table twinbell.alert add column error_codes text[];

create function twinbell.names_code(codes text[], code text) returns boolean
  language sql immutable parallel safe
as $$
  select exists (select 1 from unnest(codes) as named
    where named = code or named like '%*' and starts_with(code, left(named, -1)))
$$;

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
  from twinbell.alert a where twinbell.alert_wants(a, what, new.app, new.name, new.task_id)
    and (what <> 'FAILED' or a.error_codes is null or twinbell.names_code(a.error_codes, new.error_code));
  return null;
end $$;
