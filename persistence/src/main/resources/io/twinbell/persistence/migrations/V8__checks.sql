-- Checks of a definition that SQL adds. Each refuse_ function raises SQLSTATE 22023 with the field and a hint.

-- What to do about a word that is none of these: the one that was probably meant, or all of them.
create function twinbell.advice(given text, known text[]) returns text
  language sql immutable
as $$
  select coalesce(
    (select format('did you mean "%s"?', word) from unnest(known) as word
     where length(given) <= 100 and twinbell.edits(given, word) <= greatest(1, length(word) / 3)
     order by twinbell.edits(given, word) limit 1),
    'one of ' || array_to_string(known, ', '))
$$;

-- The seconds of an ISO-8601 duration of days, hours, minutes and seconds; null if it is none.
create function twinbell.duration_seconds(written text) returns numeric
  language sql immutable
as $$
  select case when part is not null and abs(coalesce(part[2], '0')::numeric) < 1e12 then
    (part[1] || '1')::numeric * (coalesce(part[2], '0')::numeric * 86400 + coalesce(part[3], '0')::numeric * 3600
      + coalesce(part[4], '0')::numeric * 60 + coalesce(replace(part[5], ',', '.'), '0')::numeric) end
  from (select regexp_match(written,
    '^([-+]?)P(?=[-+0-9T])(?:([-+]?[0-9]{1,18})D)?(?:T(?=[-+0-9])(?:([-+]?[0-9]{1,18})H)?(?:([-+]?[0-9]{1,18})M)?'
    || '(?:([-+]?[0-9]{1,18}(?:[.,][0-9]{0,9})?)S)?)?$', 'i') as part) as parts
$$;

-- Characters that no name, owner, tag or key has: control characters, and those that change how a terminal or a page
-- shows the text around them (line and paragraph separators, and the marks and overrides of the writing direction).
create function twinbell.has_hidden_characters(line text) returns boolean
  language sql immutable parallel safe
as $$
  select line ~ ('[\u0001-\u001f\u007f-\u009f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160'
      '\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd'
      '\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]')
    or line ~ '[\u200c\u200d]'
      and line ~ ('(?<![\u0590-\u1fff\u2190-\U0010ffff])[\u200c\u200d]|[\u200c\u200d](?![\u0590-\u1fff\u2190-\U0010ffff])')
    or line ~ '[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]'
      and regexp_replace(line, '[0-9#*]\ufe0f\u20e3', '', 'g')
        ~ ('(?<![\u00a9\u00ae\u0590-\u180a\u1810-\u1fff\u203c\u2049\u2122\u2139\u2190-\ufdff\ufe10-\U000e00ff])'
          '[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]')
$$;

create function twinbell.usual_options() returns jsonb
  language sql immutable parallel safe
as $$
  select jsonb '{"misfire": {"policy": "FIRE_ONCE", "threshold": "PT30S"}, "retry": {"maxAttempts": 1}, "overlap": "SKIP",
    "orphan": "DROP", "priority": 5}'
$$;

-- The option expireAfter, for slots that must not start late.
create function twinbell.task_options() returns table (option text, type text)
  language sql immutable
as $$
  values ('owner', 'string'), ('tags', 'array'), ('enabled', 'boolean'), ('priority', 'number'), ('data', null),
         ('start', 'string'), ('end', 'string'), ('calendars', 'array'), ('onExcluded', 'string'), ('maxRuns', 'number'),
         ('jitter', 'string'), ('timeout', 'string'), ('expireAfter', 'string'), ('retry', 'object'), ('misfire', 'object'),
         ('overlap', null), ('orphan', 'string'), ('onDoubt', 'string'), ('pauseOnFailure', 'number'),
         ('concurrencyKey', 'string'), ('then', 'array'), ('thenOnFailure', 'array'), ('ifExists', 'string')
$$;

create function twinbell.refuse_line(field text, line text) returns void
  language plpgsql
as $$
begin
  if line is null then
    perform twinbell.refuse(format('%s is required', field));
  elsif length(line) not between 1 and 200 then
    perform twinbell.refuse(format('%s must have 1 to 200 characters, not %s', field, length(line)));
  elsif twinbell.has_hidden_characters(line) then
    perform twinbell.refuse(format('%s must not contain control characters', field),
      'line separators and invisible characters such as U+200E and U+FEFF are control characters too');
  end if;
end $$;

create function twinbell.refuse_type(field text, value jsonb, type text) returns void
  language plpgsql
as $$
begin
  if jsonb_typeof(value) not in (type, 'null') then
    perform twinbell.refuse(format('%s must be a JSON %s, not %s', field, type, jsonb_typeof(value)));
  end if;
end $$;

create function twinbell.refuse_choice(field text, value jsonb, choices text[]) returns void
  language plpgsql
as $$
begin
  if value <> 'null' and (jsonb_typeof(value) <> 'string' or value #>> '{}' <> all (choices)) then
    perform twinbell.refuse(format('%s must be one of %s, not %s', field, array_to_string(choices, ', '), left(value::text, 100)),
      twinbell.advice(value #>> '{}', choices));
  end if;
end $$;

create function twinbell.refuse_number(field text, value jsonb, lowest numeric, highest numeric, whole boolean)
  returns void
  language plpgsql
as $$
declare
  number numeric := case when jsonb_typeof(value) = 'number' then (value #>> '{}')::numeric end;
begin
  if value <> 'null' and (number is null or number not between lowest and highest or whole and number <> trunc(number)) then
    perform twinbell.refuse(format('%s must be a %s from %s to %s, not %s', field,
      case when whole then 'whole number' else 'number' end, lowest, highest, left(value::text, 100)));
  end if;
end $$;

create function twinbell.refuse_list(field text, list jsonb, most int, what text) returns void
  language plpgsql
as $$
begin
  if list <> 'null' and (jsonb_typeof(list) <> 'array' or jsonb_array_length(list) not between 1 and most) then
    perform twinbell.refuse(format('%s must be a list of 1 to %s %s', field, most, what));
  end if;
end $$;

create function twinbell.refuse_others(field text, members jsonb, known text[]) returns void
  language plpgsql
as $$
declare
  unknown text;
begin
  select key into unknown from jsonb_object_keys(members) as key where key <> all (known) limit 1;
  if unknown is not null then
    perform twinbell.refuse(format('unknown field "%s" in %s', left(unknown, 100), field), twinbell.advice(unknown, known));
  end if;
end $$;

-- What jsonb can keep, and whoever reads it back can't.
create function twinbell.refuse_unreadable(field text, document jsonb) returns void
  language plpgsql
as $$
begin
  if jsonb_path_exists(document, 'strict $.**{500}') then
    perform twinbell.refuse(format('%s is nested more than 500 levels deep', field));
  elsif exists (select 1 from jsonb_path_query(document, 'strict $.**') as part
                where jsonb_typeof(part) = 'number' and length(part::text) > 1000) then
    perform twinbell.refuse(format('%s contains a number with more than 1000 digits', field));
  end if;
end $$;

create function twinbell.refuse_duration(field text, value jsonb, lowest numeric, highest numeric, bounds text)
  returns void
  language plpgsql
as $$
declare
  seconds constant numeric := twinbell.duration_seconds(value #>> '{}');
begin
  if coalesce(value, 'null') = 'null' then
    return;
  elsif jsonb_typeof(value) <> 'string' or seconds is null then
    perform twinbell.refuse(format('%s must be a duration such as PT30S, not %s', field, left(value::text, 100)),
      'ISO-8601: PT1H30M, PT0.25S, P7D');
  elsif seconds * 1000 <> trunc(seconds * 1000) then
    perform twinbell.refuse(format('%s must be in whole milliseconds, not %s', field, left(value::text, 100)));
  elsif seconds not between lowest and highest then
    perform twinbell.refuse(format('%s must lie between %s, not %s', field, bounds, left(value::text, 100)));
  end if;
end $$;

create function twinbell.refuse_interval(field text, written text, lowest numeric, bounds text) returns void
  language plpgsql
as $$
declare
  seconds numeric := twinbell.duration_seconds(written);
begin
  if length(written) > 64 then
    perform twinbell.refuse(format('%s has more than 64 characters', field));
  elsif written ~* '^[-+]?P[^T]*[YM]' then
    perform twinbell.refuse(format('%s must not use years or months, which have no fixed length: %s', field, to_json(written)),
      'use days (P30D) or a cron expression; minutes come after a T (PT5M)');
  end if;
  seconds := coalesce(seconds, (regexp_match(written, '^\+?P(\d{1,4})W$', 'i'))[1]::numeric * 604800);
  if written ~ '^((\d{1,18})(\.\d{1,18})?(ms|h|m|s))+$' then
    select sum(term[1]::numeric * case term[2] when 'h' then 3600 when 'm' then 60 when 's' then 1 else 0.001 end) into seconds
    from regexp_matches(written, '(\d{1,18}(?:\.\d{1,18})?)(ms|h|m|s)', 'g') as term;
  end if;
  if seconds is null then
    perform twinbell.refuse(format('%s is not a duration: %s', field, to_json(written)),
      'ISO-8601 (PT1H30M, PT0.25S, P7D) or units h, m, s, ms (1h30m, 250ms)');
  elsif seconds * 1000 <> trunc(seconds * 1000) then
    perform twinbell.refuse(format('%s must be in whole milliseconds, not %s', field, to_json(written)));
  elsif seconds not between lowest and 315619200 then
    perform twinbell.refuse(format('%s must lie between %s, not %s', field, bounds, to_json(written)));
  end if;
end $$;

-- A schedule with at may say that a new task is refused if its instant has passed.
create function twinbell.refuse_schedule(schedule jsonb) returns void
  language plpgsql
as $$
declare
  words text[];
  field text;
begin
  perform twinbell.refuse_form_of_schedule(schedule);
  foreach field in array '{zone,dialect,dstGap,dstOverlap,mode,first,past}'::text[] loop
    if schedule ? field and jsonb_typeof(schedule -> field) <> 'string' then
      perform twinbell.refuse(format('schedule.%s must be a string, not %s', field, jsonb_typeof(schedule -> field)));
    end if;
  end loop;
  if schedule ? 'rrule' then
    perform twinbell.refuse_rule_parts(schedule ->> 'rrule');
  elsif schedule ? 'cron' and schedule ->> 'dialect' in ('QUARTZ', 'SPRING') then
    words := regexp_split_to_array(btrim(schedule ->> 'cron', E' \t\n\x0b\f\r'), '[ \t-\r]+');
    words := case when words[1] ~* '^(CRON_)?TZ=' then words[2:] else words end;
    if words[1] !~ '^@' and cardinality(words) <> all (
        case schedule ->> 'dialect' when 'SPRING' then '{6}' else '{6,7}' end::int[]) then
      perform twinbell.refuse(format('schedule.cron has %s fields, which the dialect %s does not have: %s', cardinality(words),
          schedule ->> 'dialect', left(to_json(schedule ->> 'cron')::text, 100)),
        'SPRING has 6 fields, and QUARTZ 6 or 7');
    end if;
  end if;
end $$;

create function twinbell.refuse_form_of_schedule(schedule jsonb) returns void
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

-- What has to be looked at together.
create function twinbell.refuse_never(schedule jsonb, options jsonb) returns void
  language plpgsql
as $$
declare
  last_time constant timestamptz := (options ->> 'end')::timestamptz;
  since constant timestamptz := coalesce((options ->> 'start')::timestamptz, now());
  fire constant timestamptz := case
    when schedule ? 'at' then (schedule ->> 'at')::timestamptz
    when schedule ? 'in' then since + twinbell.duration_seconds(schedule ->> 'in') * interval '1 second' end;
begin
  if fire > last_time then
    perform twinbell.refuse(format('the schedule never fires: its fire time %s is after option end, %s',
      to_json(fire at time zone 'UTC') #>> '{}', options ->> 'end'));
  elsif options ->> 'onExcluded' in ('NEXT', 'PREVIOUS') and schedule ?| '{every,at,in}' then
    perform twinbell.refuse(format('option onExcluded %s requires a schedule with cron or rrule', options ->> 'onExcluded'));
  end if;
end $$;

-- The server compares names without regard to case, and knows abbreviations and rules such as A/B3. A node knows none
-- of these.
create function twinbell.refuse_zone(field text, zone text) returns void
  language plpgsql stable
as $$
declare
  countries constant text[] := '{CET,CST6CDT,Cuba,EET,EST5EDT,Egypt,Eire,GB,GB-Eire,GMT,GMT0,Greenwich,Hongkong,Iceland,Iran,
    Israel,Jamaica,Japan,Kwajalein,Libya,MET,MST7MDT,NZ,NZ-CHAT,Navajo,PRC,PST8PDT,Poland,Portugal,ROK,Singapore,Turkey,UCT,
    UT,UTC,Universal,W-SU,WET,Z,Zulu}';
  hours constant text := '(\d|0\d|1[0-7])';
begin
  if zone = any (countries)
    or zone ~ ('^(UTC|GMT|UT)?[+-](' || hours || '|18)$')
    or zone ~ '^(UTC|GMT|UT)?[+-](0\d|1[0-7])(:[0-5]\d(:[0-5]\d)?|[0-5]\d([0-5]\d)?)$'
    or zone ~ '^(UTC|GMT|UT)?[+-]18(:00(:00)?|00(00)?)$' then
    return;
  elsif zone !~ '^([A-Z][A-Za-z_-]*(/[A-Z][A-Za-z_-]*)+|Etc/GMT(0|[+-]\d|[+-]1[0-2]|-1[34]))$' or length(zone) > 64 then
    perform twinbell.refuse(format('%s is not a time zone: %s', field, left(to_json(zone)::text, 100)),
      'write a region such as Europe/Berlin, or an offset such as +02:00');
  end if;
  begin
    perform now() at time zone zone;
  exception when invalid_parameter_value then
    perform twinbell.refuse(format('%s is not a time zone of this database server: %s', field, zone),
      'write a region such as Europe/Berlin');
  end;
end $$;

-- The shape of a cron expression: its words, their characters, and the numbers of fields that every dialect has alike.
create function twinbell.refuse_cron(expression text) returns void
  language plpgsql
as $$
declare
  words text[] := regexp_split_to_array(btrim(expression, E' \t\n\x0b\f\r'), '[ \t-\r]+');
  fields constant text[] := '{second,minute,hour,day of month,month,day of week,year}';
  lowest constant int[] := '{0,0,0,1,1,0,1970}';
  highest constant int[] := '{59,59,23,31,12,7,2199}';
  entry text;
  place int;
begin
  if length(expression) > 1000 then
    perform twinbell.refuse(format('schedule.cron has %s characters; at most 1000 are allowed', length(expression)));
  end if;
  if words[1] ~* '^(CRON_)?TZ=' then
    perform twinbell.refuse_zone('the zone in schedule.cron', regexp_replace(words[1], '^(CRON_)?TZ=', '', 'i'));
    words := words[2:];
  end if;
  if coalesce(words[1], '') = '' then
    perform twinbell.refuse('schedule.cron is empty', 'for example 30 2 * * *');
  elsif words[1] ~ '^@' then
    if lower(words[1]) = '@every' and cardinality(words) = 2 then
      perform twinbell.refuse_interval('schedule.cron @every', words[2], 0.010, '10 ms and ten years');
    elsif cardinality(words) > 1 or lower(words[1]) <> all ('{@yearly,@annually,@monthly,@weekly,@daily,@midnight,@hourly}') then
      perform twinbell.refuse(format('schedule.cron is not an allowed macro: %s', left(to_json(expression)::text, 100)),
        'allowed are @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly, and @every with a duration such as 5m');
    end if;
    return;
  elsif cardinality(words) not between 5 and 7 then
    perform twinbell.refuse(format('schedule.cron must have 5, 6 or 7 fields, not %s: %s', cardinality(words),
        left(to_json(expression)::text, 100)),
      'five fields are minute, hour, day of month, month and day of week; six begin with the second; seven also end with the year');
  end if;
  for i in 1 .. cardinality(words) loop
    place := i + case when cardinality(words) = 5 then 1 else 0 end;
    foreach entry in array string_to_array(words[i], ',') loop
      if entry = '' or entry !~ '^[0-9A-Za-z*?#()/-]+$' or place not in (4, 5, 6) and entry ~* '[A-GI-Z]' then
        perform twinbell.refuse(format('the %s field of schedule.cron is not valid: %s', fields[place], left(to_json(entry)::text, 100)),
          'allowed are numbers, *, H, lists (a,b), ranges (a-b) and steps (a/n); names and letters only in the day and month fields');
      elsif entry ~ '^\d+(-\d+)?(/\d+)?$' and exists (
          select 1 from regexp_split_to_table(split_part(entry, '/', 1), '-') as number
          where length(number) > 4 or number::int not between lowest[place] and highest[place]) then
        perform twinbell.refuse(format('the %s field of schedule.cron is not valid: %s', fields[place], to_json(left(entry, 100))),
          format('allowed are %s to %s', lowest[place], highest[place]));
      elsif entry ~ '/' and entry !~ '/[1-9]\d{0,3}$' then
        perform twinbell.refuse(format('the %s field of schedule.cron has an invalid step: %s', fields[place], to_json(left(entry, 100))),
          'a step is a number of 1 or more, as in */5');
      end if;
    end loop;
  end loop;
end $$;

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

create function twinbell.refuse_rule_parts(rule text) returns void
  language plpgsql
as $$
declare
  parts text[] := '{}';
  frequency text;
  has_numbered_day boolean;
  problem text;
  written text;
  part text;
  given text;
begin
  foreach written in array string_to_array(upper(rule), ';') loop
    part := split_part(written, '=', 1);
    given := substr(written, length(part) + 2);
    if part = '' or given = '' then
      perform twinbell.refuse(format('schedule.rrule: %s has no value', left(to_json(written)::text, 100)),
        'a rule looks like FREQ=WEEKLY;INTERVAL=2;BYDAY=MO');
    elsif part = any (parts) then
      perform twinbell.refuse(format('schedule.rrule: %s is given twice', left(to_json(part)::text, 100)));
    end if;
    parts := parts || part;
    perform twinbell.refuse_rule_part(part, given);
  end loop;
  frequency := (regexp_match(upper(rule), '(?:^|;)FREQ=([^;]*)'))[1];
  has_numbered_day := upper(rule) ~ '(^|;)BYDAY=[^;]*\d';
  problem := case
    when parts @> '{COUNT,UNTIL}' then 'COUNT and UNTIL can''t be combined'
    when 'BYWEEKNO' = any (parts) and frequency <> 'YEARLY' then 'BYWEEKNO requires FREQ=YEARLY'
    when 'BYYEARDAY' = any (parts) and frequency in ('DAILY', 'WEEKLY', 'MONTHLY') then
      'BYYEARDAY requires FREQ=YEARLY, HOURLY, MINUTELY or SECONDLY'
    when 'BYMONTHDAY' = any (parts) and frequency = 'WEEKLY' then 'BYMONTHDAY can''t be combined with FREQ=WEEKLY'
    when has_numbered_day and frequency not in ('MONTHLY', 'YEARLY') then
      'a number in BYDAY requires FREQ=MONTHLY or FREQ=YEARLY'
    when has_numbered_day and 'BYWEEKNO' = any (parts) then 'a number in BYDAY can''t be combined with BYWEEKNO'
    when 'BYSETPOS' = any (parts) and not exists (
        select from unnest(parts) as other where other like 'BY%' and other <> 'BYSETPOS') then
      'BYSETPOS requires another BY part' end;
  if problem is not null then
    perform twinbell.refuse('schedule.rrule: ' || problem);
  end if;
end $$;

create function twinbell.refuse_rule_part(part text, given text) returns void
  language plpgsql
as $$
declare
  days constant text := 'MO|TU|WE|TH|FR|SA|SU';
  item text;
begin
  case part
    when 'FREQ' then null;
    when 'INTERVAL' then perform twinbell.refuse_rule_numbers(part, given, 1, 2147483647);
    when 'COUNT' then
      if given ~ '^[+]?\d{1,10}$' and given::bigint between 1001 and 2147483647 then
        perform twinbell.refuse(format('schedule.rrule: COUNT is %s, more than 1000', given::bigint), 'use UNTIL instead');
      end if;
      perform twinbell.refuse_rule_numbers(part, given, 1, 1000);
    when 'BYSECOND' then perform twinbell.refuse_rule_numbers(part, given, 0, 60);
    when 'BYMINUTE' then perform twinbell.refuse_rule_numbers(part, given, 0, 59);
    when 'BYHOUR' then perform twinbell.refuse_rule_numbers(part, given, 0, 23);
    when 'BYMONTHDAY' then perform twinbell.refuse_rule_numbers(part, given, -31, 31);
    when 'BYYEARDAY', 'BYSETPOS' then perform twinbell.refuse_rule_numbers(part, given, -366, 366);
    when 'BYWEEKNO' then perform twinbell.refuse_rule_numbers(part, given, -53, 53);
    when 'BYMONTH' then perform twinbell.refuse_rule_numbers(part, given, 1, 12);
    when 'WKST' then
      if given !~ ('^(' || days || ')$') then
        perform twinbell.refuse(format('schedule.rrule: WKST is not a day: %s', left(to_json(given)::text, 100)), 'for example MO');
      end if;
    when 'BYDAY' then
      foreach item in array string_to_array(given, ',') loop
        if item !~ ('^([+-]?0{0,8}([1-9]|[1-4]\d|5[0-3]))?(' || days || ')$') then
          perform twinbell.refuse(format('schedule.rrule: BYDAY has a value that is not a day: %s', left(to_json(item)::text, 100)),
            'write a day such as MO, or with a number from -53 to 53 such as -1FR');
        end if;
      end loop;
    when 'UNTIL' then
      begin
        if given !~ '^\d{8}(T\d{6}Z?)?$' then
          raise invalid_datetime_format;
        end if;
        perform make_timestamp(substr(given, 1, 4)::int, substr(given, 5, 2)::int, substr(given, 7, 2)::int,
          coalesce(nullif(substr(given, 10, 2), ''), '0')::int, coalesce(nullif(substr(given, 12, 2), ''), '0')::int,
          coalesce(nullif(substr(given, 14, 2), ''), '0')::int);
      exception when data_exception then
        perform twinbell.refuse(format('schedule.rrule: UNTIL is not a date or time: %s', left(to_json(given)::text, 100)),
          'write it as 20261224, 20261224T180000 or 20261224T180000Z');
      end;
    when 'RSCALE', 'SKIP' then
      if given <> (case part when 'SKIP' then 'OMIT' else 'GREGORIAN' end) then
        perform twinbell.refuse('schedule.rrule: RSCALE other than GREGORIAN, and SKIP other than OMIT, are not supported');
      end if;
    else
      perform twinbell.refuse(format('schedule.rrule: %s is not a part of a rule', left(to_json(part)::text, 100)),
        'a rule looks like FREQ=WEEKLY;INTERVAL=2;BYDAY=MO');
  end case;
end $$;

create function twinbell.refuse_rule_numbers(part text, given text, lowest integer, highest integer) returns void
  language plpgsql
as $$
declare
  item text;
begin
  foreach item in array string_to_array(given, ',') loop
    if item !~ '^[+-]?\d{1,10}$' or item::bigint not between lowest and highest or (lowest < 0 and item::bigint = 0) then
      perform twinbell.refuse(format('schedule.rrule: %s must have numbers from %s to %s%s, not %s', part, lowest, highest,
        case when lowest < 0 then ' and not 0' else '' end, left(to_json(item)::text, 100)));
    end if;
  end loop;
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

create function twinbell.refuse_handler(handler jsonb) returns void
  language plpgsql
as $$
begin
  if jsonb_typeof(handler) is distinct from 'object' then
    perform twinbell.refuse('handler must be a JSON object', 'for example {"type": "log"}');
  elsif jsonb_typeof(handler -> 'type') is distinct from 'string' then
    perform twinbell.refuse('handler.type is required', 'it is one of http, sql, shell, java and log');
  elsif handler ->> 'type' not in ('http', 'sql', 'shell', 'java', 'log') then
    perform twinbell.refuse(format('unknown handler type "%s"', left(handler ->> 'type', 100)),
      twinbell.advice(handler ->> 'type', '{http,sql,shell,java,log}'));
  end if;
  case handler ->> 'type'
    when 'http' then
      perform twinbell.refuse_http(handler);
      perform twinbell.refuse_url(handler ->> 'url');
      perform twinbell.refuse_method(handler ->> 'method');
    when 'sql' then
      perform twinbell.refuse_sql(handler);
      perform twinbell.refuse_statement(one #>> '{}') from jsonb_array_elements(
        case jsonb_typeof(handler -> 'statement') when 'array' then handler -> 'statement' else jsonb_build_array(handler -> 'statement') end) one;
    when 'shell' then
      perform twinbell.refuse_shell(handler);
    when 'java' then
      perform twinbell.refuse_others('a java handler', handler, '{type,key}');
      perform twinbell.refuse_type('handler.key', handler -> 'key', 'string');
      perform twinbell.refuse_line('handler.key', handler ->> 'key');
    else
      perform twinbell.refuse_others('a log handler', handler, '{type,message}');
      perform twinbell.refuse_type('handler.message', handler -> 'message', 'string');
      if length(handler ->> 'message') > 10000 or twinbell.has_hidden_characters(handler ->> 'message') then
        perform twinbell.refuse('handler.message must have at most 10000 characters and no control characters');
      end if;
  end case;
end $$;

-- The calls of an http handler may be signed by Standard Webhooks, and be CloudEvents.
create function twinbell.refuse_http(handler jsonb) returns void
  language plpgsql
as $$
declare
  url constant text := handler ->> 'url';
  host text;
  header record;
  code jsonb;
  range text[];
begin
  perform twinbell.refuse_others('an http handler', handler,
    '{type,method,url,headers,body,successCodes,connectTimeout,followRedirects,secret,completion,signature,cloudEvents,profile}');
  perform twinbell.refuse_type('handler.method', handler -> 'method', 'string');
  perform twinbell.refuse_type('handler.body', handler -> 'body', 'string');
  perform twinbell.refuse_type('handler.headers', handler -> 'headers', 'object');
  perform twinbell.refuse_type('handler.followRedirects', handler -> 'followRedirects', 'boolean');
  perform twinbell.refuse_type('handler.secret', handler -> 'secret', 'object');
  perform twinbell.refuse_type('handler.completion', handler -> 'completion', 'string');
  if handler ->> 'completion' not in ('RESPONSE', 'CALLBACK') then
    perform twinbell.refuse(format('handler.completion must be RESPONSE or CALLBACK, not %s', left(handler ->> 'completion', 100)));
  end if;
  perform twinbell.refuse_type('handler.signature', handler -> 'signature', 'string');
  if handler ->> 'signature' not in ('TWINBELL', 'STANDARD_WEBHOOKS') then
    perform twinbell.refuse(format('handler.signature must be TWINBELL or STANDARD_WEBHOOKS, not %s', left(handler ->> 'signature', 100)));
  elsif handler ->> 'signature' is not null and handler ->> 'secret' is null then
    perform twinbell.refuse('handler.signature requires handler.secret', 'for example "secret": {"ref": "BILLING_KEY"}');
  end if;
  perform twinbell.refuse_type('handler.profile', handler -> 'profile', 'string');
  perform twinbell.refuse_profile(handler ->> 'profile');
  perform twinbell.refuse_type('handler.cloudEvents', handler -> 'cloudEvents', 'string');
  if handler ->> 'cloudEvents' not in ('BINARY', 'STRUCTURED') then
    perform twinbell.refuse(format('handler.cloudEvents must be BINARY or STRUCTURED, not %s', left(handler ->> 'cloudEvents', 100)));
  end if;
  if jsonb_typeof(handler -> 'url') is distinct from 'string' then
    perform twinbell.refuse('handler.url is required and must be a string', 'for example http://127.0.0.1:9000/x');
  elsif length(url) > 4096 then
    perform twinbell.refuse(format('handler.url has %s characters; at most 4096 are allowed', length(url)));
  elsif url !~* '^https?://[^/?#]' or twinbell.has_hidden_characters(url) then
    perform twinbell.refuse(format('handler.url must be an absolute http or https URL, not %s', left(to_json(url)::text, 200)),
      'for example http://127.0.0.1:9000/x');
  end if;
  host := (regexp_match(url, '^[^:]+://([^/?#]*)'))[1];
  if (regexp_match(host, ':(\d+)$'))[1]::numeric not between 1 and 65535 then
    perform twinbell.refuse(format('handler.url has an invalid port: %s', left((regexp_match(host, ':(\d+)$'))[1], 20)),
      'a port is a number from 1 to 65535');
  elsif host ~ '[{}$]' then
    perform twinbell.refuse('handler.url must not have a variable in its host', 'variables are allowed in the path and the query');
  end if;
  if handler ->> 'method' is not null
    and (handler ->> 'method' !~ '^[!#$%&''*+.^_`|~0-9A-Za-z-]{1,20}$' or upper(handler ->> 'method') = 'CONNECT') then
    perform twinbell.refuse(format('handler.method must be an HTTP method such as POST, not %s', left(handler ->> 'method', 100)));
  end if;
  if jsonb_typeof(handler -> 'headers') = 'object' then
    if (select count(*) from jsonb_object_keys(handler -> 'headers')) > 50 then
      perform twinbell.refuse('handler.headers must have at most 50 members');
    end if;
    for header in select key, value from jsonb_each(handler -> 'headers') loop
      if header.key !~ '^[!#$%&''*+.^_`|~0-9A-Za-z-]{1,200}$' then
        perform twinbell.refuse(format('handler.headers contains %s, which is not a header name', left(to_json(header.key)::text, 100)));
      elsif lower(header.key) in ('connection', 'content-length', 'expect', 'host', 'te', 'trailer', 'upgrade', 'transfer-encoding')
        or lower(header.key) = 'idempotency-key' or lower(header.key) like 'twinbell-%' then
        perform twinbell.refuse(format('handler.headers must not contain %s: Twinbell or its HTTP client sets this header', header.key));
      elsif handler ->> 'profile' is not null and lower(header.key) = 'proxy-authorization' then
        perform twinbell.refuse(format('handler.headers must not contain %s: the profile sets this header', header.key));
      elsif handler ->> 'signature' = 'STANDARD_WEBHOOKS'
        and lower(header.key) in ('webhook-id', 'webhook-timestamp', 'webhook-signature')
        or handler ->> 'cloudEvents' is not null and lower(header.key) like 'ce-%' then
        perform twinbell.refuse(format('handler.headers must not contain %s: Twinbell sets this header', header.key));
      elsif jsonb_typeof(header.value) <> 'string' or length(header.value #>> '{}') > 8192
        or header.value #>> '{}' !~ '^[\t\x20-\x7e]*$' then
        perform twinbell.refuse(format('handler.headers.%s must be a string of printable ASCII, at most 8192 characters', header.key));
      end if;
    end loop;
  end if;
  perform twinbell.refuse_list('handler.successCodes', handler -> 'successCodes', 50, 'statuses such as 200, "2xx" or "200-299"');
  if jsonb_typeof(handler -> 'successCodes') = 'array' then
    for code in select * from jsonb_array_elements(handler -> 'successCodes') loop
      range := regexp_match(code #>> '{}', '^([1-5]\d\d)(?:-([1-5]\d\d))?$');
      if code #>> '{}' !~ '^[1-5]xx$' and (range is null or range[1] > coalesce(range[2], range[1])) is not false then
        perform twinbell.refuse(format('handler.successCodes contains %s, which is not a status', left(code::text, 100)),
          'write a status such as 200, "2xx" or "200-299"');
      end if;
    end loop;
  end if;
  perform twinbell.refuse_duration('handler.connectTimeout', handler -> 'connectTimeout', 0.001, 300, 'PT0.001S and PT5M');
  if jsonb_typeof(handler -> 'secret') = 'object' then
    perform twinbell.refuse_others('handler.secret', handler -> 'secret', '{ref}');
    perform twinbell.refuse_line('handler.secret.ref', handler #>> '{secret,ref}');
  end if;
end $$;

create function twinbell.refuse_method(method text) returns void
  language plpgsql
as $$
declare
  known constant text[] := '{GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS,QUERY,PROPFIND,PROPPATCH,MKCOL,COPY,MOVE,LOCK,UNLOCK,REPORT,SEARCH,PURGE,BAN}';
begin
  if method <> all(known) then
    perform twinbell.refuse(format('handler.method must be an HTTP method such as POST, not %s', left(method, 100)),
      twinbell.advice(method, known));
  end if;
end $$;

-- What stands in a variable is left to the node.
create function twinbell.refuse_url(url text) returns void
  language plpgsql
as $$
declare
  authority constant text := (regexp_match(url, '^[^:]+://([^/?#]*)'))[1];
  target constant text := regexp_replace(url, '^[^:]+://[^/?#]*', '');
  strange text;
begin
  if authority like '%@%' then
    perform twinbell.refuse('handler.url must not contain a user name or password', 'use an Authorization header');
  elsif url like '%#%' then
    perform twinbell.refuse('handler.url must not have a fragment', 'remove "#" and what follows it');
  end if;
  perform twinbell.refuse_host(authority);
  strange := substring(regexp_replace(target, '\$\{[^}]*\}?', '', 'g')
    from '[^][A-Za-z0-9._~!$&''()*+,;=:@/?%\u0080-\U0010ffff-]');
  if strange = ' ' then
    perform twinbell.refuse('handler.url must not contain a space', 'write %20');
  elsif strange is not null then
    perform twinbell.refuse(format('handler.url must not contain the character %s', to_json(strange)),
      format('write %%%s', upper(lpad(to_hex(ascii(strange)), 2, '0'))));
  -- In a template a value may complete an escape, so the node checks these.
  elsif target !~ '\$' and target ~ '%(?![0-9A-Fa-f]{2})' then
    perform twinbell.refuse('handler.url has a "%" without two hexadecimal digits after it', 'write %25 for the character itself');
  end if;
end $$;

-- A host as the API reads it. Names in other scripts are converted by the node.
create function twinbell.refuse_host(authority text) returns void
  language plpgsql
as $$
declare
  advice constant text := 'a host name consists of letters, digits, "-", "_" and single dots';
  shown constant text := left(to_json(authority)::text, 200);
  host text := split_part(authority, ':', 1);
  port text := substr(authority, length(host) + 2);
  address text;
  numbers text[];
begin
  if authority like '[%' then
    address := substring(authority from '^\[([^]]*)\](?::.*)?$');
    port := substring(authority from '^\[[^]]*\]:(.*)$');
    if address is null or address !~ '^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$' or address like '%:::%' or address like '%::%::%'
      or address not like '%::%' and length(address) - length(replace(address, ':', ''))
        <> (case when address like '%.%' then 6 else 7 end) then
      perform twinbell.refuse(format('handler.url has an invalid host: %s', shown), 'write an IPv6 address as in [::1]');
    end if;
  elsif host = '' then
    perform twinbell.refuse('handler.url has no host', 'write http://HOST/PATH');
  elsif host ~ '(^\.|\.\.)' then
    perform twinbell.refuse(format('handler.url has an invalid host: %s', shown), advice);
  elsif host ~ '[\u00df\u03c2\u200c\u200d]' then
    perform twinbell.refuse(format('handler.url has a host with a character that standards convert in different ways: %s', shown),
      'write the ASCII form of the host, xn--…');
  elsif host !~ '[^\u0001-\u007f]' then
    host := regexp_replace(host, '\.$', '');
    if length(host) > 253 or exists (select 1 from unnest(string_to_array(host, '.')) as label where label !~ '^[A-Za-z0-9_-]{1,63}$') then
      perform twinbell.refuse(format('handler.url has an invalid host: %s', shown), advice);
    elsif host ~ '^(0[xX][0-9A-Fa-f]*|[0-9]+)(\.(0[xX][0-9A-Fa-f]*|[0-9]+))*$' then
      numbers := string_to_array(host, '.');
      if cardinality(numbers) > 4 or exists (
          select 1 from unnest(numbers) with ordinality as n(number, place)
          where case when n.number !~ '^(0|[1-9][0-9]{0,9})$' then true
                else n.number::numeric >= 256 ^ (case when n.place = cardinality(numbers) then 5 - n.place else 1 end) end) then
        perform twinbell.refuse(format('handler.url has an invalid IPv4 address: %s', shown),
          'write four decimal numbers without leading zeros, such as 127.0.0.1');
      end if;
    end if;
  end if;
  if port <> '' and (port !~ '^0*[1-9][0-9]{0,4}$' or port::numeric > 65535) then
    perform twinbell.refuse(format('handler.url has an invalid port: %s', left(port, 20)), 'a port is a number from 1 to 65535');
  end if;
end $$;

-- A profile that no node has would fail each call.
create function twinbell.refuse_profile(name text) returns void
  language plpgsql
as $$
begin
  if name is not null and not exists (select 1 from twinbell.node_handlers h where name = any (h.profiles)) then
    perform twinbell.refuse(format('no node has the http profile %s', left(to_json(name)::text, 100)),
      case when exists (select 1 from twinbell.node_handlers h where h.profiles <> '{}')
        then twinbell.advice(name, array(select distinct unnest(h.profiles) as known from twinbell.node_handlers h order by known))
        else 'add it to the configuration of both nodes first' end);
  end if;
end $$;

create function twinbell.refuse_sql(handler jsonb) returns void
  language plpgsql
as $$
declare
  statement jsonb := handler -> 'statement';
begin
  perform twinbell.refuse_others('an sql handler', handler, '{type,statement,parameters}');
  perform twinbell.refuse_type('handler.parameters', handler -> 'parameters', 'object');
  if jsonb_typeof(statement) = 'string' then
    statement := jsonb_build_array(statement);
  end if;
  if jsonb_typeof(statement) is distinct from 'array' or jsonb_array_length(statement) not between 1 and 100
    or exists (select 1 from jsonb_array_elements(statement) as one where jsonb_typeof(one) <> 'string' or btrim(one #>> '{}') = '') then
    perform twinbell.refuse('handler.statement must be a string, or a list of 1 to 100 strings, and none of them may be empty');
  end if;
end $$;

create function twinbell.refuse_shell(handler jsonb) returns void
  language plpgsql
as $$
begin
  perform twinbell.refuse_others('a shell handler', handler, '{type,command,environment,workingDirectory,successCodes}');
  if jsonb_typeof(handler -> 'command') is distinct from 'array' or jsonb_array_length(handler -> 'command') not between 1 and 200
    or exists (select 1 from jsonb_array_elements(handler -> 'command') as word where jsonb_typeof(word) <> 'string')
    or btrim(handler #>> '{command,0}') = '' then
    perform twinbell.refuse('handler.command must be a list of 1 to 200 strings, and the first must be the program',
      'for example ["/bin/date", "-u"]');
  end if;
  perform twinbell.refuse_type('handler.environment', handler -> 'environment', 'object');
  perform twinbell.refuse_type('handler.workingDirectory', handler -> 'workingDirectory', 'string');
  perform twinbell.refuse_list('handler.successCodes', handler -> 'successCodes', 50, 'exit codes from 0 to 255');
  if left(handler ->> 'workingDirectory', 1) <> '/' then
    perform twinbell.refuse('handler.workingDirectory must be an absolute path');
  elsif jsonb_typeof(handler -> 'environment') = 'object' and exists (
      select 1 from jsonb_each(handler -> 'environment') as e
      where key !~ '^[A-Za-z_][A-Za-z0-9_]{0,99}$' or key like 'TWINBELL\_%' or jsonb_typeof(value) <> 'string') then
    perform twinbell.refuse('handler.environment must map names of variables to strings, and no name may begin with TWINBELL_');
  elsif jsonb_typeof(handler -> 'successCodes') = 'array' and exists (
      select 1 from jsonb_array_elements(handler -> 'successCodes') as code
      where jsonb_typeof(code) <> 'number' or code #>> '{}' !~ '^\d{1,3}$' or (code #>> '{}')::int > 255) then
    perform twinbell.refuse('handler.successCodes must be a list of 1 to 50 exit codes from 0 to 255');
  end if;
end $$;

-- The first word. Where comments are nested, or something else than a word comes first, the node looks.
create function twinbell.refuse_statement(statement text) returns void
  language plpgsql
as $$
declare
  verbs constant text[] := '{select,insert,update,delete,merge,with,values,call,notify,truncate,refresh}';
  verb constant text := lower((regexp_match(statement,
    '^(?:\s|\(|--[^\n]*\n|/\*(?:[^*/]|\*(?!/)|/(?!\*))*\*/)*([A-Za-z_]+)'))[1] collate "C");
begin
  if verb <> all (verbs) then
    perform twinbell.refuse(format('handler.statement must not begin with %s', left(verb, 100)),
      'it must begin with one of ' || array_to_string(verbs, ', '));
  end if;
end $$;

-- Reads a statement as the node does: token by token, so that nothing hides in texts, comments, names and dollar
-- quotes. Very long ones are left to the node.
create function twinbell.refuse_statement_text(field text, statement text, own text[], data jsonb) returns void
  language plpgsql
as $$
declare
  verbs constant text[] := '{select,insert,update,delete,merge,with,values,call,notify,truncate,refresh}';
  -- White space beyond ASCII as Java defines it; all other characters may begin a word.
  blanks constant text := '\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000';
  others constant text := '\u0080-\u167f\u1681-\u1fff\u2007\u200b-\u2027\u202a-\u205e\u2060-\u2fff\u3001-\U0010ffff';
  tokens constant text := '--[^\n]*'
    || '|/\*(?:[^*/]|\*(?!/)|/(?!\*))*\*/|/\*'
    || '|[\u0001-\u0020' || blanks || ']+'
    || '|[eE]''(?:[^''\\]|\\.|'''')*''|''(?:[^'']|'''')*''|"(?:[^"]|"")*"'
    || '|\$(?:[A-Za-z_][A-Za-z0-9_]*)?\$'
    || '|::|:[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*'
    || '|[uU]&|[A-Za-z_' || others || '][A-Za-z0-9_$\u0080-\U0010ffff]*'
    || '|[0-9][A-Za-z0-9' || others || ']*|.';
  rest text := statement;
  read int;
  token text := '';
  next_token text;
  before text;
  mark text;
  verb text;
  is_ended boolean := false;
  is_read boolean := false;
  depth int;
  problem text;
begin
  if length(statement) > 10000 then
    return;
  end if;
  -- Starts again after each nested comment and dollar quote, because no regular expression finds their end.
  for part in 1 .. 50 loop
    read := 0;
    mark := null;
    token := '';
    for next_token in select m[1] from regexp_matches(rest, tokens, 'g') as m loop
      before := token;
      token := next_token;
      read := read + length(token);
      continue when token ~ ('^[\u0001-\u0020' || blanks || ']') or token like '--%' or token like '/*_%';
      if token = '/*' then
        mark := token;
        exit;
      elsif is_ended then
        problem := 'must be one statement; write several statements as a list';
      elsif token = ';' then
        is_ended := true;
      -- An unclosed string with escapes was read as the letter e alone.
      elsif token in ('''', '"') or token like '''%' and before in ('e', 'E') then
        problem := 'has a quote that is not closed';
      elsif token ~ '^\$' then
        if length(token) > 1 then
          mark := token;
          exit;
        end if;
        problem := 'must use named parameters such as :slot or :data.id, not "$"';
      elsif token in ('u&', 'U&') then
        problem := 'must not contain U& escapes';
      elsif token ~* '^(twinbell|set_config)$' or token in ('"twinbell"', '"set_config"') then
        problem := format('must not contain the name "%s", which is reserved for Twinbell', lower(btrim(token, '"') collate "C"));
      elsif token ~ '^:[A-Za-z]' and substr(token, 2) <> all (own) then
        problem := twinbell.variable_problem(substr(token, 2), data, 'statement');
        if problem like 'unknown variable%' then
          problem := format('has the unknown parameter "%s"; known are :slot, :fireTime, :attempt, :data, :data.PATH and the names in "parameters"',
            left(token, 100));
        end if;
      elsif verb is null and token ~ '^[A-Za-z_\u0080-\U0010ffff]' then
        verb := lower(token collate "C");
        if verb <> all (verbs) then
          problem := 'must begin with one of ' || array_to_string(verbs, ', ');
        end if;
      end if;
      if problem is not null then
        perform twinbell.refuse(format('%s %s', field, problem));
      end if;
    end loop;
    if mark is null then
      is_read := true;
      exit;
    elsif mark = '/*' then
      rest := substr(rest, read + 1);
      depth := 1;
      read := 0;
      for token in select m[1] from regexp_matches(rest, '/\*|\*/|[^*/]+|.', 'g') as m loop
        read := read + length(token);
        depth := depth + case token when '/*' then 1 when '*/' then -1 else 0 end;
        exit when depth = 0;
      end loop;
      if depth > 0 then
        perform twinbell.refuse(format('%s has a comment that is not closed', field));
      end if;
      rest := substr(rest, read + 1);
    else
      rest := substr(rest, read + 1);
      if strpos(rest, mark) = 0 then
        perform twinbell.refuse(format('%s has a dollar quote that is not closed', field));
      end if;
      rest := substr(rest, strpos(rest, mark) + length(mark));
    end if;
  end loop;
  if verb is null and is_read then
    perform twinbell.refuse(format('%s must be an SQL statement', field));
  end if;
end $$;

-- What is wrong with the name of a variable; null if nothing is. The data are those of the task, or null.
create function twinbell.variable_problem(name text, data jsonb, place text) returns text
  language plpgsql immutable
as $$
declare
  path constant text[] := string_to_array(name, '.');
  run constant jsonb := '{"task": {"id": 1, "app": "x", "name": "x"}, "fireTime": "2199-12-31T23:59:59.999Z"}';
  own constant jsonb := nullif(data, 'null');
  of_follower constant jsonb :=
    case when jsonb_typeof(own) = 'object' then own when own is null then '{}' else jsonb_build_object('value', own) end
    || jsonb_build_object('parent', run || '{"state": "SUCCEEDED", "output": "x", "error": "x", "depth": 1}'
      || jsonb_build_object('root', run));
  step text;
  value jsonb;
  written text;
begin
  if name in ('slot', 'fireTime', 'attempt') then
    return null;
  elsif name like 'secret.%' then
    return case
      when substr(name, 8) !~ '^[A-Z][A-Z0-9_]{0,62}$' or name like '%\_FILE'
        then format('"%s" is not a valid name of a secret: use capital letters, digits and "_", such as BILLING_KEY', left(substr(name, 8), 100))
      when place <> 'header' then 'must not contain a secret' || case when place = 'statement' then '' else '; use a header' end
    end;
  elsif path[1] is distinct from 'data' or cardinality(path) > 32
    or exists (select 1 from unnest(path) as one where one !~ '^[A-Za-z0-9_-]{1,100}$') then
    return case when path[1] = 'alert' then 'this variable exists only in the webhook of an alert'
      else format('unknown variable "%s"; known are slot, fireTime, attempt, data, data.PATH and secret.NAME', left(name, 100)) end;
  end if;
  foreach value in array array[own, of_follower] loop
    foreach step in array path[2:] loop
      -- Negative indexes, which count from the end, are not supported.
      value := case when jsonb_typeof(value) <> 'array' or step !~ '^-0*[1-9]' then value #> array[step] end;
    end loop;
    exit when value is not null or cardinality(path) = 1;
  end loop;
  if value is null then
    return format('the task''s data has no "%s"', left(name, 200));
  end if;
  written := case jsonb_typeof(value) when 'string' then value #>> '{}' when 'null' then '' else value::text end;
  return case
    when place = 'header' and written !~ '^[\u0020-\u007e]*$' then 'a value in a header must be printable ASCII'
    when place = 'path' and written ~ '^\.*$' then 'a value in the path of a URL must not be empty or consist only of dots'
  end;
end $$;

create function twinbell.refuse_template(field text, template text, data jsonb, place text) returns void
  language plpgsql
as $$
declare
  variable text[];
  problem text;
begin
  if template is null or template !~ '\$\{' then
    return;
  end if;
  for variable in select m from regexp_matches(template, '\$\$\{|\$\{([^}]*)(\}?)', 'g') as m loop
    if variable[2] = '' then
      perform twinbell.refuse(format('%s has "%s{" without "}"', field, '$'), 'write ' || repeat('$', 2) || '{ for the characters themselves');
    elsif variable[1] is not null then
      problem := twinbell.variable_problem(variable[1], data, place);
      if problem is not null then
        perform twinbell.refuse(format('%s has %s{%s}: %s', field, '$', left(variable[1], 200), problem));
      end if;
    end if;
  end loop;
end $$;

-- What a handler says together with the data of its task.
create function twinbell.refuse_unknown_names(handler jsonb, data jsonb) returns void
  language plpgsql
as $$
declare
  target constant text := regexp_replace(handler ->> 'url', '^[^:]+://[^/?#]*', '');
  reserved constant text[] := '{slot,fireTime,attempt,data,secret}';
  own constant text[] := array(select jsonb_object_keys(
    case jsonb_typeof(handler -> 'parameters') when 'object' then handler -> 'parameters' else '{}' end));
  header record;
  one record;
begin
  if handler ->> 'type' = 'http' then
    perform twinbell.refuse_template('handler.url', split_part(target, '?', 1), data, 'path');
    perform twinbell.refuse_template('handler.url', substr(target, length(split_part(target, '?', 1)) + 1), data, 'query');
    perform twinbell.refuse_template('handler.body', handler ->> 'body', data, 'body');
    if jsonb_typeof(handler -> 'headers') = 'object' then
      for header in select key, value, count(*) over (partition by lower(key)) as times from jsonb_each_text(handler -> 'headers') loop
        if header.times > 1 then
          perform twinbell.refuse(format('handler.headers has %s twice', header.key), 'header names are not case-sensitive');
        end if;
        perform twinbell.refuse_template(format('handler.headers.%s', header.key), header.value, data, 'header');
      end loop;
    end if;
    if handler #>> '{secret,ref}' !~ '^[A-Z][A-Z0-9_]{0,62}$' or handler #>> '{secret,ref}' like '%\_FILE' then
      perform twinbell.refuse(format('handler.secret.ref is not a valid name of a secret: %s', left(handler #>> '{secret,ref}', 100)),
        'use capital letters, digits and "_", such as BILLING_KEY');
    end if;
  elsif handler ->> 'type' = 'sql' then
    if cardinality(own) > 100 then
      perform twinbell.refuse('handler.parameters must have at most 100 members');
    end if;
    for one in select key from unnest(own) as key where key !~ '^[A-Za-z][A-Za-z0-9_]{0,62}$' or key = any (reserved) limit 1 loop
      perform twinbell.refuse(format('handler.parameters contains %s, which is not an allowed name', left(to_json(one.key)::text, 100)),
        'use a letter, then letters, digits and "_"; reserved are ' || array_to_string(reserved, ', '));
    end loop;
    for one in select value #>> '{}' as statement, number from jsonb_array_elements(
        case jsonb_typeof(handler -> 'statement') when 'array' then handler -> 'statement' else jsonb_build_array(handler -> 'statement') end)
      with ordinality as list(value, number)
    loop
      perform twinbell.refuse_statement_text(case jsonb_typeof(handler -> 'statement')
        when 'array' then format('handler.statement/%s', one.number - 1) else 'handler.statement' end, one.statement, own, data);
    end loop;
  elsif handler ->> 'type' = 'shell' then
    if jsonb_typeof(handler -> 'environment') = 'object' and (select count(*) from jsonb_object_keys(handler -> 'environment')) > 100 then
      perform twinbell.refuse('handler.environment must have at most 100 members');
    elsif length(handler ->> 'workingDirectory') > 4096 or twinbell.has_hidden_characters(handler ->> 'workingDirectory') then
      perform twinbell.refuse('handler.workingDirectory must have at most 4096 characters and no control characters');
    end if;
  end if;
end $$;

-- A key that no node knows is no mistake while an application is being deployed, but it may be one.
create function twinbell.warn_of_unknown_key(handler jsonb) returns void
  language plpgsql
as $$
begin
  if handler ->> 'type' = 'java' and handler ->> 'key' <> 'twinbell.noop' and exists (select 1 from twinbell.node_handlers)
    and not exists (select 1 from twinbell.node_handlers h where handler ->> 'key' = any (h.keys)) then
    raise warning using message = format('no node has a java handler with the key "%s"', left(handler ->> 'key', 200)),
      hint = 'slots of this task wait up to 15 minutes for a master that has this handler';
  end if;
end $$;

create function twinbell.refuse_options(options jsonb) returns void
  language plpgsql
as $$
begin
  perform twinbell.refuse_general_options(options);
  perform twinbell.refuse_duration('option expireAfter', options -> 'expireAfter', 0.001, 31536000, 'PT0.001S and P365D');
  perform twinbell.refuse_choice('option onExcluded', options -> 'onExcluded', '{SKIP,NEXT,PREVIOUS}');
  if options ->> 'onExcluded' in ('NEXT', 'PREVIOUS') and options ->> 'jitter' is not null then
    perform twinbell.refuse(format('option onExcluded %s can''t be combined with jitter', options ->> 'onExcluded'));
  end if;
end $$;

create function twinbell.refuse_general_options(options jsonb) returns void
  language plpgsql
as $$
declare
  known constant text[] := array(select option from twinbell.task_options());
  given record;
  since timestamptz;
begin
  if jsonb_typeof(options) <> 'object' then
    perform twinbell.refuse('options must be a JSON object', 'for example {"owner": "ops", "overlap": "ALLOW"}');
  end if;
  for given in
    select key, value, option, type from jsonb_each(options) left join twinbell.task_options() on option = key
  loop
    if given.option is null then
      perform twinbell.refuse(format('unknown option "%s"', left(given.key, 100)), twinbell.advice(given.key, known));
    elsif given.type <> jsonb_typeof(given.value) and given.value <> 'null' then
      perform twinbell.refuse(
        format('option %s must be a JSON %s, not %s', given.key, given.type, jsonb_typeof(given.value)));
    end if;
  end loop;
  if options ->> 'owner' is not null then
    perform twinbell.refuse_line('option owner', options ->> 'owner');
  end if;
  if options ->> 'ifExists' not in ('REFUSE', 'KEEP', 'REPLACE') then
    perform twinbell.refuse('option ifExists must be REFUSE, KEEP or REPLACE',
      twinbell.advice(options ->> 'ifExists', '{REFUSE,KEEP,REPLACE}'));
  end if;
  if jsonb_typeof(options -> 'tags') = 'array' and (jsonb_array_length(options -> 'tags') > 50 or exists (
      select 1 from jsonb_array_elements(options -> 'tags') as tag
      where jsonb_typeof(tag) <> 'string' or length(tag #>> '{}') not between 1 and 100
        or twinbell.has_hidden_characters(tag #>> '{}'))) then
    perform twinbell.refuse(
      'option tags must be a list of at most 50 strings of 1 to 100 characters without control characters');
  end if;
  if jsonb_typeof(options -> 'calendars') = 'array' then
    if jsonb_array_length(options -> 'calendars') > 16 then
      perform twinbell.refuse('option calendars must be a list of at most 16 names');
    end if;
    for given in select element from jsonb_array_elements(options -> 'calendars') as element
      where jsonb_typeof(element) <> 'string' or not exists (select 1 from twinbell.calendar c where c.name = element #>> '{}')
    loop
      perform twinbell.refuse(format('option calendars contains a calendar that does not exist: %s', left(given.element::text, 100)));
    end loop;
  end if;
  perform twinbell.refuse_number('option priority', options -> 'priority', 0, 9, true);
  perform twinbell.refuse_number('option maxRuns', options -> 'maxRuns', 1, 1000000000, true);
  perform twinbell.refuse_number('option pauseOnFailure', options -> 'pauseOnFailure', 1, 1000, true);
  perform twinbell.refuse_duration('option jitter', options -> 'jitter', 0, 86400, 'PT0S and PT24H');
  perform twinbell.refuse_duration('option timeout', options -> 'timeout', 0.001, 604800, 'PT0.001S and P7D');
  perform twinbell.refuse_choice('option orphan', options -> 'orphan', '{DROP,RERUN}');
  perform twinbell.refuse_choice('option onDoubt', options -> 'onDoubt', '{DROP,RERUN,ASK}');
  if jsonb_typeof(options -> 'overlap') = 'object' then
    perform twinbell.refuse_others('option overlap', options -> 'overlap', '{policy,max}');
    perform twinbell.refuse_choice('option overlap.policy', options #> '{overlap,policy}', '{ALLOW,SKIP,QUEUE,CANCEL_RUNNING}');
    perform twinbell.refuse_number('option overlap.max', options #> '{overlap,max}', 1, 1000, true);
    if options #>> '{overlap,max}' is not null and options #>> '{overlap,policy}' is distinct from 'QUEUE' then
      perform twinbell.refuse('option overlap.max is allowed only with the policy QUEUE');
    end if;
  else
    perform twinbell.refuse_choice('option overlap', options -> 'overlap', '{ALLOW,SKIP,QUEUE,CANCEL_RUNNING}');
  end if;
  perform twinbell.refuse_retry(options -> 'retry');
  if jsonb_typeof(options -> 'misfire') = 'object' then
    perform twinbell.refuse_others('option misfire', options -> 'misfire', '{policy,threshold,max,order}');
    perform twinbell.refuse_choice('option misfire.policy', options #> '{misfire,policy}', '{FIRE_ONCE,SKIP,FIRE_ALL}');
    perform twinbell.refuse_choice('option misfire.order', options #> '{misfire,order}', '{NEWEST,OLDEST}');
    perform twinbell.refuse_number('option misfire.max', options #> '{misfire,max}', 1, 1000, true);
    perform twinbell.refuse_duration('option misfire.threshold', options #> '{misfire,threshold}', 0, 315360000, 'PT0S and P3650D');
  end if;
  if options ->> 'concurrencyKey' is not null then
    perform twinbell.refuse_line('option concurrencyKey', options ->> 'concurrencyKey');
    if options ->> 'concurrencyKey' ~ '^(app|tag|handler):' then
      perform twinbell.refuse('option concurrencyKey must not begin with app:, tag: or handler:',
        'these prefixes are reserved for limits of apps, tags and handlers');
    end if;
  end if;
  perform twinbell.refuse_followers('then', options -> 'then');
  perform twinbell.refuse_followers('thenOnFailure', options -> 'thenOnFailure');
  since := case when options ->> 'start' is not null then twinbell.instant_of('option start', options -> 'start') end;
  if options ->> 'end' is not null and twinbell.instant_of('option end', options -> 'end') < coalesce(since, now()) then
    perform twinbell.refuse('option end must not be before the start');
  end if;
  if jsonb_path_exists(options -> 'data', 'strict $.**{100}') then
    perform twinbell.refuse('option data is nested more than 100 levels deep');
  end if;
end $$;

create function twinbell.refuse_retry(retry jsonb) returns void
  language plpgsql
as $$
begin
  if jsonb_typeof(retry) = 'object' then
    perform twinbell.refuse_others('option retry', retry, '{maxAttempts,backoff,multiplier,maxBackoff,jitter,onlyOn,notOn}');
    perform twinbell.refuse_number('option retry.maxAttempts', retry -> 'maxAttempts', 1, 1000, true);
    perform twinbell.refuse_number('option retry.multiplier', retry -> 'multiplier', 1, 100, false);
    perform twinbell.refuse_number('option retry.jitter', retry -> 'jitter', 0, 1, false);
    perform twinbell.refuse_duration('option retry.backoff', retry -> 'backoff', 0, 604800, 'PT0S and P7D');
    perform twinbell.refuse_duration('option retry.maxBackoff', retry -> 'maxBackoff', 0, 604800, 'PT0S and P7D');
    if twinbell.duration_seconds(retry ->> 'maxBackoff')
      < twinbell.duration_seconds(coalesce(retry ->> 'backoff', 'PT1S')) then
      perform twinbell.refuse('option retry.maxBackoff must not be shorter than the backoff');
    end if;
    perform twinbell.refuse_retry_codes('option retry.onlyOn', retry -> 'onlyOn');
    perform twinbell.refuse_retry_codes('option retry.notOn', retry -> 'notOn');
  end if;
end $$;

-- A retry policy may name the error codes to retry on, and those not to.
create function twinbell.refuse_retry_codes(field text, codes jsonb) returns void
  language plpgsql
as $$
begin
  perform twinbell.refuse_list(field, codes, 32, 'error codes such as HTTP_503 or HTTP_5*');
  if jsonb_typeof(codes) = 'array' and exists (select 1 from jsonb_array_elements(codes) as code
      where jsonb_typeof(code) <> 'string' or code #>> '{}' !~ '^[A-Z][A-Z0-9_]{0,62}[*]?$') then
    perform twinbell.refuse(format('%s contains what is not an error code', field),
      'name a code such as HTTP_503, or the beginning of codes such as HTTP_5*');
  end if;
end $$;

-- The last of the checks, which sees handler and options together: the bounds on the payload, and then what the handler
-- names.
create function twinbell.refuse_payload(schedule jsonb, handler jsonb, options jsonb) returns void
  language plpgsql
as $$
declare
  bytes bigint := coalesce(octet_length((options -> 'data')::text), 0) + coalesce(octet_length(handler ->> 'body'), 0)
    + coalesce(octet_length((handler -> 'headers')::text), 0);
begin
  if bytes > 65536 then
    perform twinbell.refuse(
      format('data, handler body and headers have %s bytes together; the limit is 65536', bytes));
  end if;
  bytes := octet_length(schedule::text) + octet_length(handler::text) + octet_length(options::text);
  if bytes > 262144 then
    perform twinbell.refuse(format('the task has %s bytes; the limit is 262144', bytes));
  end if;
  perform twinbell.refuse_unknown_names(handler, options -> 'data');
end $$;
