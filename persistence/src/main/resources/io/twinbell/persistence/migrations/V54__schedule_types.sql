-- Schedules of one's own: the types that each node has, as it wrote them down when it joined, and the tasks that use one.
alter table twinbell.node_handlers add column schedule_types text[] not null default '{}';

create index task_schedule_type on twinbell.task ((definition #>> '{schedule,type}'))
  where definition #>> '{schedule,type}' is not null;

-- The master computes the first fire time, so a type that no node has could never fire.
create function twinbell.refuse_schedule_type(name text) returns void
  language plpgsql
as $$
begin
  if not exists (select 1 from twinbell.node_handlers h where name = any (h.schedule_types)) then
    perform twinbell.refuse(format('no node has the schedule type %s', left(to_json(name)::text, 100)),
      'register it on both nodes first');
  end if;
end $$;

create or replace function twinbell.refuse_schedule(schedule jsonb) returns void
  language plpgsql
as $$
declare
  forms text[];
  form text;
begin
  if jsonb_typeof(schedule) is distinct from 'object' then
    perform twinbell.refuse('schedule must be a JSON object', 'for example {"cron": "30 2 * * *"} or {"in": "PT48H"}');
  end if;
  select coalesce(array_agg(known), '{}') into forms
  from unnest(array['cron', 'rrule', 'every', 'at', 'in', 'type']) as known where schedule ? known;
  form := forms[1];
  if cardinality(forms) <> 1 then
    perform twinbell.refuse_others('schedule', schedule, 
      '{cron,rrule,every,at,in,dialect,dtstart,rdate,exdate,zone,dstGap,dstOverlap,mode,align,first,past,type,params}');
    perform twinbell.refuse('schedule must have exactly one of cron, rrule, every, at, in and type',
      format('it has %s', case when forms = '{}' then 'none' else array_to_string(forms, ', ') end));
  elsif jsonb_typeof(schedule -> form) <> 'string' then
    perform twinbell.refuse(format('schedule.%s must be a string', form));
  end if;
  perform twinbell.refuse_others(format('a schedule with %s', form), schedule, case form
    when 'cron' then '{cron,dialect,zone,dstGap,dstOverlap}' when 'rrule' then '{rrule,dtstart,rdate,exdate,zone,dstGap,dstOverlap}'
    when 'every' then '{every,mode,align,first}' when 'at' then '{at,past}'
    when 'type' then '{type,params,zone,dstGap,dstOverlap}' else array[form] end);
  case form
    when 'cron' then
      perform twinbell.refuse_cron(schedule ->> 'cron');
      if schedule ? 'zone' then
        perform twinbell.refuse_zone('schedule.zone', coalesce(schedule ->> 'zone', ''));
      end if;
      perform twinbell.refuse_choice('schedule.dialect', schedule -> 'dialect', '{UNIX,QUARTZ,SPRING}');
      perform twinbell.refuse_choice('schedule.dstGap', schedule -> 'dstGap', '{SHIFT,SKIP}');
      perform twinbell.refuse_choice('schedule.dstOverlap', schedule -> 'dstOverlap', '{ONCE,TWICE}');
    when 'rrule' then
      perform twinbell.refuse_rule(schedule ->> 'rrule');
      if not schedule ? 'dtstart' then
        perform twinbell.refuse('schedule.dtstart is required',
          'a rule counts from a first date and time, such as 2026-01-05T09:00');
      end if;
      perform twinbell.refuse_local_time('schedule.dtstart', schedule -> 'dtstart');
      perform twinbell.refuse_local_times('schedule.rdate', schedule -> 'rdate');
      perform twinbell.refuse_local_times('schedule.exdate', schedule -> 'exdate');
      if schedule ? 'zone' then
        perform twinbell.refuse_zone('schedule.zone', coalesce(schedule ->> 'zone', ''));
      end if;
      perform twinbell.refuse_choice('schedule.dstGap', schedule -> 'dstGap', '{SHIFT,SKIP}');
      perform twinbell.refuse_choice('schedule.dstOverlap', schedule -> 'dstOverlap', '{ONCE,TWICE}');
    when 'every' then
      perform twinbell.refuse_interval('schedule.every', schedule ->> 'every', 0.010, '10 ms and ten years (P3653D)');
      perform twinbell.refuse_choice('schedule.mode', schedule -> 'mode', '{FIXED_RATE,FIXED_DELAY}');
      perform twinbell.refuse_choice('schedule.first', schedule -> 'first', '{AT_START,AFTER_INTERVAL}');
      if schedule ? 'align' then
        perform twinbell.refuse_type('schedule.align', schedule -> 'align', 'string');
        perform twinbell.refuse_interval('schedule.align', coalesce(schedule ->> 'align', ''), 0.010, '10 ms and ten years (P3653D)');
      end if;
    when 'at' then
      perform twinbell.refuse_choice('schedule.past', schedule -> 'past', '{FIRE,REFUSE}');
      if twinbell.instant_of('schedule.at', schedule -> 'at') < clock_timestamp() and schedule ->> 'past' = 'REFUSE' then
        perform twinbell.refuse('schedule.at has passed, and schedule.past is REFUSE',
          format('the clock of the database is at %s', twinbell.instant_text(clock_timestamp())));
      end if;
    when 'type' then
      perform twinbell.refuse_schedule_type(schedule ->> 'type');
      if schedule ? 'params' and (jsonb_typeof(schedule -> 'params') <> 'object' or length(schedule ->> 'params') > 8192) then
        perform twinbell.refuse('schedule.params must be a JSON object of at most 8192 characters');
      end if;
      if schedule ? 'zone' then
        perform twinbell.refuse_zone('schedule.zone', coalesce(schedule ->> 'zone', ''));
      end if;
      perform twinbell.refuse_choice('schedule.dstGap', schedule -> 'dstGap', '{SHIFT,SKIP}');
      perform twinbell.refuse_choice('schedule.dstOverlap', schedule -> 'dstOverlap', '{ONCE,TWICE}');
    else
      perform twinbell.refuse_interval('schedule.in', schedule ->> 'in', 0, 'PT0S and ten years (P3653D)');
  end case;
end $$;
