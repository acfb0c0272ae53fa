-- add_task accepts a schedule with "rrule", as the API does. As with cron, a node reads the rest of the rule.

create function twinbell.refuse_rule(rule text) returns void
  language plpgsql
as $$
declare
  frequency constant text := (regexp_match(upper(rule), '(?:^|;)FREQ=([^;]*)'))[1];
begin
  if length(rule) > 4000 then
    perform twinbell.refuse(format('schedule.rrule has %s characters; at most 4000 are allowed', length(rule)));
  elsif rule ~* '^RRULE:' then
    perform twinbell.refuse('schedule.rrule begins with RRULE:', 'write the rule alone');
  elsif rule !~ '^[0-9A-Za-z=;,+-]+$' then
    perform twinbell.refuse(format('schedule.rrule is not a rule: %s', left(to_json(rule)::text, 100)),
      'a rule looks like FREQ=WEEKLY;INTERVAL=2;BYDAY=MO');
  elsif frequency is null then
    perform twinbell.refuse('schedule.rrule has no FREQ', 'a rule looks like FREQ=WEEKLY;INTERVAL=2;BYDAY=MO');
  elsif frequency not in ('SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY') then
    perform twinbell.refuse(format('schedule.rrule has the FREQ %s', left(to_json(frequency)::text, 100)),
      'allowed are SECONDLY, MINUTELY, HOURLY, DAILY, WEEKLY, MONTHLY and YEARLY');
  end if;
end $$;

create function twinbell.refuse_local_time(field text, value jsonb) returns void
  language plpgsql
as $$
declare
  written constant text := value #>> '{}';
begin
  if jsonb_typeof(value) <> 'string'
      or written !~* '^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?$' and written !~* '^\d{8}(T\d{6})?$' then
    perform twinbell.refuse(format('%s is not a local time: %s', field, left(value::text, 100)),
      'write it as 2026-01-05T09:00, without an offset; it is a time of the schedule''s zone');
  elsif left(written, 4)::int not between 1970 and 2199 then
    perform twinbell.refuse(format('%s is out of range: %s', field, written), 'only 1970 to 2199 are allowed');
  end if;
  begin
    perform written::timestamp;
  exception when datetime_field_overflow or invalid_datetime_format then
    perform twinbell.refuse(format('%s is not a local time: %s', field, written), 'there is no such day or time');
  end;
end $$;

create function twinbell.refuse_local_times(field text, list jsonb) returns void
  language plpgsql
as $$
begin
  if list is null then
    return;
  elsif jsonb_typeof(list) <> 'array' or jsonb_array_length(list) > 1000 then
    perform twinbell.refuse(format('%s must be a list of at most 1000 strings', field));
  end if;
  perform twinbell.refuse_local_time(format('%s[%s]', field, place - 1), item)
  from jsonb_array_elements(list) with ordinality as items (item, place);
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
  from unnest(array['cron', 'rrule', 'every', 'at', 'in']) as known where schedule ? known;
  form := forms[1];
  if cardinality(forms) <> 1 then
    perform twinbell.refuse_others('schedule', schedule, 
      '{cron,rrule,every,at,in,dialect,dtstart,rdate,exdate,zone,dstGap,dstOverlap,mode,align,first}');
    perform twinbell.refuse('schedule must have exactly one of cron, rrule, every, at and in',
      format('it has %s', case when forms = '{}' then 'none' else array_to_string(forms, ', ') end));
  elsif jsonb_typeof(schedule -> form) <> 'string' then
    perform twinbell.refuse(format('schedule.%s must be a string', form));
  end if;
  perform twinbell.refuse_others(format('a schedule with %s', form), schedule, case form
    when 'cron' then '{cron,dialect,zone,dstGap,dstOverlap}' when 'rrule' then '{rrule,dtstart,rdate,exdate,zone,dstGap,dstOverlap}'
    when 'every' then '{every,mode,align,first}' else array[form] end);
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
      perform twinbell.instant_of('schedule.at', schedule -> 'at');
    else
      perform twinbell.refuse_interval('schedule.in', schedule ->> 'in', 0, 'PT0S and ten years (P3653D)');
  end case;
end $$;
