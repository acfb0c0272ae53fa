-- Mistakes that add_task can find, and left to the node: parts of recurrence rules, names of zones, the number of fields of
-- a cron dialect, members that are null, and onExcluded for schedules without days.

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

-- The server compares names without regard to case, and knows abbreviations and rules such as A/B3. A node knows none of these.
create or replace function twinbell.refuse_zone(field text, zone text) returns void
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

alter function twinbell.refuse_schedule(jsonb) rename to refuse_form_of_schedule;

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

create or replace function twinbell.refuse_never(schedule jsonb, options jsonb) returns void
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
