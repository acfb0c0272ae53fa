-- add_task accepts "align" and "first" in a schedule with "every", as the API does.

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
  from unnest(array['cron', 'every', 'at', 'in']) as known where schedule ? known;
  form := forms[1];
  if cardinality(forms) <> 1 then
    perform twinbell.refuse_others('schedule', schedule, '{cron,every,at,in,dialect,zone,dstGap,dstOverlap,mode,align,first}');
    perform twinbell.refuse('schedule must have exactly one of cron, every, at and in',
      format('it has %s', case when forms = '{}' then 'none' else array_to_string(forms, ', ') end));
  elsif jsonb_typeof(schedule -> form) <> 'string' then
    perform twinbell.refuse(format('schedule.%s must be a string', form));
  end if;
  perform twinbell.refuse_others(format('a schedule with %s', form), schedule, case form
    when 'cron' then '{cron,dialect,zone,dstGap,dstOverlap}' when 'every' then '{every,mode,align,first}' else array[form] end);
  case form
    when 'cron' then
      perform twinbell.refuse_cron(schedule ->> 'cron');
      if schedule ? 'zone' then
        perform twinbell.refuse_zone('schedule.zone', coalesce(schedule ->> 'zone', ''));
      end if;
      perform twinbell.refuse_choice('schedule.dialect', schedule -> 'dialect', '{UNIX,QUARTZ,SPRING}');
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
      perform twinbell.instant_of('schedule.at', schedule -> 'at');
    else
      perform twinbell.refuse_interval('schedule.in', schedule ->> 'in', 0, 'PT0S and ten years (P3653D)');
  end case;
end $$;
