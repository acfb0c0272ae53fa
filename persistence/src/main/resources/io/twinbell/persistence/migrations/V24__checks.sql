-- What the functions for applications check before they store a task, who may call them for what, and which names are free.
-- A check here must refuse nothing that the API would take. What takes more than text and numbers, such as the days of a
-- cron expression, is still the master's: it leaves the task in state ERROR, which twinbell_tasks_in_error counts.

-- Characters that no name, owner, tag or key has: control characters, and those that change how a terminal or a page shows
-- the text around them (line and paragraph separators, and the marks and overrides of the writing direction).
create function twinbell.has_hidden_characters(line text) returns boolean
  language sql immutable parallel safe
as $$
  select line ~ '[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'
$$;

create or replace function twinbell.refuse_line(field text, line text) returns void
  language plpgsql
as $$
begin
  if line is null then
    perform twinbell.refuse(format('%s is required', field));
  elsif length(line) not between 1 and 200 then
    perform twinbell.refuse(format('%s must have 1 to 200 characters, not %s', field, length(line)));
  elsif twinbell.has_hidden_characters(line) then
    perform twinbell.refuse(format('%s must have no control characters', field),
      'line separators and characters that change the writing direction count as such');
  end if;
end $$;

-- How many letters to add, drop, replace or swap with their neighbour, case aside.
create function twinbell.edits(given text, known text) returns int
  language plpgsql immutable
as $$
declare
  a constant text[] := string_to_array(lower(given), null);
  b constant text[] := string_to_array(lower(known), null);
  before int[];
  previous int[] := array(select generate_series(0, cardinality(b)));
  current int[];
begin
  for i in 1 .. cardinality(a) loop
    current := array[i];
    for j in 1 .. cardinality(b) loop
      current := current || least(previous[j + 1] + 1, current[j] + 1, previous[j] + (a[i] <> b[j])::int,
        case when i > 1 and j > 1 and a[i] = b[j - 1] and a[i - 1] = b[j] then before[j - 1] + 1 end);
    end loop;
    before := previous;
    previous := current;
  end loop;
  return previous[cardinality(b) + 1];
end $$;

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

create function twinbell.refuse_number(field text, value jsonb, lowest numeric, highest numeric, whole boolean) returns void
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

create function twinbell.refuse_duration(field text, value jsonb, lowest numeric, highest numeric, bounds text) returns void
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
    perform twinbell.refuse(format('%s is finer than a millisecond: %s', field, left(value::text, 100)));
  elsif seconds not between lowest and highest then
    perform twinbell.refuse(format('%s must lie between %s, not %s', field, bounds, left(value::text, 100)));
  end if;
end $$;

-- What schedules are written with: as above, in weeks, or with units as in 1h30m.
create function twinbell.refuse_interval(field text, written text, lowest numeric, bounds text) returns void
  language plpgsql
as $$
declare
  seconds numeric := twinbell.duration_seconds(written);
begin
  if length(written) > 64 then
    perform twinbell.refuse(format('%s has more than 64 characters', field));
  elsif written ~* '^[-+]?P[^T]*[YM]' then
    perform twinbell.refuse(format('%s is %s: years and months have no fixed length', field, to_json(written)),
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
    perform twinbell.refuse(format('%s is finer than a millisecond: %s', field, to_json(written)));
  elsif seconds not between lowest and 315619200 then
    perform twinbell.refuse(format('%s must lie between %s, not %s', field, bounds, to_json(written)));
  end if;
end $$;

-- The instant that a text means, from 1970 to 2199 in whole milliseconds.
create function twinbell.instant_of(field text, value jsonb) returns timestamptz
  language plpgsql
as $$
declare
  written constant text := value #>> '{}';
  instant timestamptz;
begin
  if jsonb_typeof(value) is distinct from 'string' or length(written) > 40 or written !~*
    '^\d{4}-\d\d-\d\dT\d\d:[0-5]\d(:[0-5]\d(\.\d{0,9})?)?(Z|[-+]\d\d(:\d\d(:\d\d)?)?)$' then
    perform twinbell.refuse(format('%s is not an instant: %s', field, left(value::text, 100)),
      'write it as 2026-03-29T01:00:00.000Z');
  end if;
  begin
    instant := written::timestamptz;
  exception when data_exception then
    perform twinbell.refuse(format('%s is not an instant: %s', field, left(value::text, 100)),
      'write it as 2026-03-29T01:00:00.000Z');
  end;
  if written ~ '\.\d{3}\d*[1-9]' then
    perform twinbell.refuse(format('%s is finer than a millisecond: %s', field, left(value::text, 100)));
  elsif instant < '1970-01-01T00:00:00Z' or instant >= '2200-01-01T00:00:00Z' then
    perform twinbell.refuse(format('%s must lie between 1970 and 2199, not %s', field, left(value::text, 100)));
  end if;
  return instant;
end $$;

create function twinbell.refuse_zone(field text, zone text) returns void
  language plpgsql stable
as $$
begin
  if zone !~ '^[A-Za-z0-9_+:/-]{1,64}$' then
    perform twinbell.refuse(format('%s is not a time zone: %s', field, left(to_json(zone)::text, 100)),
      'write a region such as Europe/Berlin, or an offset such as +02:00');
  elsif zone ~ '/' then
    begin
      perform now() at time zone zone;
    exception when invalid_parameter_value then
      perform twinbell.refuse(format('%s is not a time zone that this server knows: %s', field, zone),
        'write a region such as Europe/Berlin');
    end;
  end if;
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
      perform twinbell.refuse(format('schedule.cron is %s', left(to_json(expression)::text, 100)),
        'alone are allowed @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly, and @every with a duration');
    end if;
    return;
  elsif cardinality(words) not between 5 and 7 then
    perform twinbell.refuse(format('schedule.cron has %s fields: %s', cardinality(words), left(to_json(expression)::text, 100)),
      'five are minute, hour, day of month, month, day of week; six begin with seconds; seven end with years');
  end if;
  for i in 1 .. cardinality(words) loop
    place := i + case when cardinality(words) = 5 then 1 else 0 end;
    foreach entry in array string_to_array(words[i], ',') loop
      if entry = '' or entry !~ '^[0-9A-Za-z*?#()/-]+$' or place not in (4, 5, 6) and entry ~* '[A-GI-Z]' then
        perform twinbell.refuse(format('the %s field of schedule.cron has %s', fields[place], left(to_json(entry)::text, 100)),
          'allowed are numbers, *, H, lists (a,b), ranges (a-b) and steps (a/n); names and letters in the day and month fields alone');
      elsif entry ~ '^\d+(-\d+)?(/\d+)?$' and exists (
          select 1 from regexp_split_to_table(split_part(entry, '/', 1), '-') as number
          where length(number) > 4 or number::int not between lowest[place] and highest[place]) then
        perform twinbell.refuse(format('the %s field of schedule.cron has %s', fields[place], to_json(left(entry, 100))),
          format('allowed are %s to %s', lowest[place], highest[place]));
      elsif entry ~ '/' and entry !~ '/[1-9]\d{0,3}$' then
        perform twinbell.refuse(format('the %s field of schedule.cron has the step %s', fields[place], to_json(left(entry, 100))),
          'a step is a number from 1 on, as in */5');
      end if;
    end loop;
  end loop;
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
  from unnest(array['cron', 'every', 'at', 'in']) as known where schedule ? known;
  form := forms[1];
  if cardinality(forms) <> 1 then
    perform twinbell.refuse_others('schedule', schedule, '{cron,every,at,in,dialect,zone,dstGap,dstOverlap,mode}');
    perform twinbell.refuse('schedule must have exactly one of cron, every, at and in',
      format('it has %s', case when forms = '{}' then 'none' else array_to_string(forms, ', ') end));
  elsif jsonb_typeof(schedule -> form) <> 'string' then
    perform twinbell.refuse(format('schedule.%s must be a text', form));
  end if;
  perform twinbell.refuse_others(format('a schedule with %s', form), schedule, case form
    when 'cron' then '{cron,dialect,zone,dstGap,dstOverlap}' when 'every' then '{every,mode}' else array[form] end);
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
    when 'at' then
      perform twinbell.instant_of('schedule.at', schedule -> 'at');
    else
      perform twinbell.refuse_interval('schedule.in', schedule ->> 'in', 0, 'PT0S and ten years (P3653D)');
  end case;
end $$;

create function twinbell.refuse_list(field text, list jsonb, most int, what text) returns void
  language plpgsql
as $$
begin
  if list <> 'null' and (jsonb_typeof(list) <> 'array' or jsonb_array_length(list) not between 1 and most) then
    perform twinbell.refuse(format('%s must be a list of 1 to %s %s', field, most, what));
  end if;
end $$;

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
    '{type,method,url,headers,body,successCodes,connectTimeout,followRedirects,secret}');
  perform twinbell.refuse_type('handler.method', handler -> 'method', 'string');
  perform twinbell.refuse_type('handler.body', handler -> 'body', 'string');
  perform twinbell.refuse_type('handler.headers', handler -> 'headers', 'object');
  perform twinbell.refuse_type('handler.followRedirects', handler -> 'followRedirects', 'boolean');
  perform twinbell.refuse_type('handler.secret', handler -> 'secret', 'object');
  if jsonb_typeof(handler -> 'url') is distinct from 'string' then
    perform twinbell.refuse('handler.url is required, and is a text', 'for example http://127.0.0.1:9000/x');
  elsif length(url) > 4096 then
    perform twinbell.refuse(format('handler.url has %s characters; at most 4096 are allowed', length(url)));
  elsif url !~* '^https?://[^/?#]' or twinbell.has_hidden_characters(url) then
    perform twinbell.refuse(format('handler.url must be an absolute http or https URL, not %s', left(to_json(url)::text, 200)),
      'for example http://127.0.0.1:9000/x');
  end if;
  host := (regexp_match(url, '^[^:]+://([^/?#]*)'))[1];
  if (regexp_match(host, ':(\d+)$'))[1]::numeric not between 1 and 65535 then
    perform twinbell.refuse(format('handler.url names the port %s', left((regexp_match(host, ':(\d+)$'))[1], 20)),
      'ports are 1 to 65535');
  elsif host ~ '[{}$]' then
    perform twinbell.refuse('handler.url has a variable in its host', 'only path and query may vary');
  end if;
  if handler ->> 'method' is not null
    and (handler ->> 'method' !~ '^[!#$%&''*+.^_`|~0-9A-Za-z-]{1,20}$' or upper(handler ->> 'method') = 'CONNECT') then
    perform twinbell.refuse(format('handler.method must be an HTTP method such as POST, not %s', left(handler ->> 'method', 100)));
  end if;
  if jsonb_typeof(handler -> 'headers') = 'object' then
    if (select count(*) from jsonb_object_keys(handler -> 'headers')) > 50 then
      perform twinbell.refuse('handler.headers must be at most 50');
    end if;
    for header in select key, value from jsonb_each(handler -> 'headers') loop
      if header.key !~ '^[!#$%&''*+.^_`|~0-9A-Za-z-]{1,200}$' then
        perform twinbell.refuse(format('handler.headers has %s, which is not a header name', left(to_json(header.key)::text, 100)));
      elsif lower(header.key) in ('connection', 'content-length', 'expect', 'host', 'te', 'trailer', 'upgrade', 'transfer-encoding')
        or lower(header.key) = 'idempotency-key' or lower(header.key) like 'twinbell-%' then
        perform twinbell.refuse(format('handler.headers has %s, which Twinbell or its HTTP client sets itself', header.key));
      elsif jsonb_typeof(header.value) <> 'string' or length(header.value #>> '{}') > 8192
        or header.value #>> '{}' !~ '^[\t\x20-\x7e]*$' then
        perform twinbell.refuse(format('handler.headers.%s must be a text of printable ASCII, at most 8192 characters', header.key));
      end if;
    end loop;
  end if;
  perform twinbell.refuse_list('handler.successCodes', handler -> 'successCodes', 50, 'statuses such as 200, "2xx" or "200-299"');
  if jsonb_typeof(handler -> 'successCodes') = 'array' then
    for code in select * from jsonb_array_elements(handler -> 'successCodes') loop
      range := regexp_match(code #>> '{}', '^([1-5]\d\d)(?:-([1-5]\d\d))?$');
      if code #>> '{}' !~ '^[1-5]xx$' and (range is null or range[1] > coalesce(range[2], range[1])) is not false then
        perform twinbell.refuse(format('handler.successCodes has %s', left(code::text, 100)), 'a status such as 200, "2xx" or "200-299"');
      end if;
    end loop;
  end if;
  perform twinbell.refuse_duration('handler.connectTimeout', handler -> 'connectTimeout', 0.001, 300, 'PT0.001S and PT5M');
  if jsonb_typeof(handler -> 'secret') = 'object' then
    perform twinbell.refuse_others('handler.secret', handler -> 'secret', '{ref}');
    perform twinbell.refuse_line('handler.secret.ref', handler #>> '{secret,ref}');
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
    perform twinbell.refuse('handler.statement must be a text, or a list of 1 to 100 texts');
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
    perform twinbell.refuse('handler.command must be a list of 1 to 200 texts, the program first', 'for example ["/bin/date", "-u"]');
  end if;
  perform twinbell.refuse_type('handler.environment', handler -> 'environment', 'object');
  perform twinbell.refuse_type('handler.workingDirectory', handler -> 'workingDirectory', 'string');
  perform twinbell.refuse_list('handler.successCodes', handler -> 'successCodes', 50, 'exit codes from 0 to 255');
  if left(handler ->> 'workingDirectory', 1) <> '/' then
    perform twinbell.refuse('handler.workingDirectory must be an absolute path');
  elsif jsonb_typeof(handler -> 'environment') = 'object' and exists (
      select 1 from jsonb_each(handler -> 'environment') as e
      where key !~ '^[A-Za-z_][A-Za-z0-9_]{0,99}$' or key like 'TWINBELL\_%' or jsonb_typeof(value) <> 'string') then
    perform twinbell.refuse('handler.environment must have names of variables with texts, and none that begins with TWINBELL_');
  elsif jsonb_typeof(handler -> 'successCodes') = 'array' and exists (
      select 1 from jsonb_array_elements(handler -> 'successCodes') as code
      where jsonb_typeof(code) <> 'number' or code #>> '{}' !~ '^\d{1,3}$' or (code #>> '{}')::int > 255) then
    perform twinbell.refuse('handler.successCodes must be a list of 1 to 50 exit codes from 0 to 255');
  end if;
end $$;

create or replace function twinbell.refuse_handler(handler jsonb) returns void
  language plpgsql
as $$
begin
  if jsonb_typeof(handler) is distinct from 'object' then
    perform twinbell.refuse('handler must be a JSON object', 'for example {"type": "log"}');
  elsif jsonb_typeof(handler -> 'type') is distinct from 'string' then
    perform twinbell.refuse('handler.type is required', 'one of http, sql, shell, java and log');
  elsif handler ->> 'type' not in ('http', 'sql', 'shell', 'java', 'log') then
    perform twinbell.refuse(format('there is no handler type "%s"', left(handler ->> 'type', 100)),
      twinbell.advice(handler ->> 'type', '{http,sql,shell,java,log}'));
  end if;
  case handler ->> 'type'
    when 'http' then
      perform twinbell.refuse_http(handler);
    when 'sql' then
      perform twinbell.refuse_sql(handler);
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
        perform twinbell.refuse('handler.message must have at most 10000 characters, none of them control characters');
      end if;
  end case;
end $$;

create function twinbell.refuse_followers(link text, followers jsonb) returns void
  language plpgsql
as $$
declare
  follower jsonb;
begin
  if jsonb_typeof(followers) <> 'array' then
    return;
  elsif jsonb_array_length(followers) > 20 then
    perform twinbell.refuse(format('option %s must be a list of at most 20 tasks', link));
  end if;
  for follower in select * from jsonb_array_elements(followers) loop
    if jsonb_typeof(follower) not in ('string', 'object') then
      perform twinbell.refuse(format('option %s must name tasks', link), 'a name, or {"app": …, "name": …}');
    elsif jsonb_typeof(follower) = 'object' then
      perform twinbell.refuse_others(format('option %s', link), follower, '{app,name}');
      perform twinbell.refuse_line(format('the name of a task in option %s', link), follower ->> 'name');
      if follower ->> 'app' is not null then
        perform twinbell.refuse_line(format('the app of a task in option %s', link), follower ->> 'app');
      end if;
    else
      perform twinbell.refuse_line(format('the name of a task in option %s', link), follower #>> '{}');
    end if;
  end loop;
end $$;

create or replace function twinbell.refuse_options(options jsonb) returns void
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
      'option tags must be a list of at most 50 texts of 1 to 100 characters, none of them control characters');
  end if;
  if jsonb_typeof(options -> 'calendars') = 'array' then
    if jsonb_array_length(options -> 'calendars') > 16 then
      perform twinbell.refuse('option calendars must be a list of at most 16 names');
    end if;
    for given in select element from jsonb_array_elements(options -> 'calendars') as element
      where jsonb_typeof(element) <> 'string' or not exists (select 1 from twinbell.calendar c where c.name = element #>> '{}')
    loop
      perform twinbell.refuse(format('option calendars: there is no calendar %s', left(given.element::text, 100)));
    end loop;
  end if;
  perform twinbell.refuse_number('option priority', options -> 'priority', 0, 9, true);
  perform twinbell.refuse_number('option maxRuns', options -> 'maxRuns', 1, 1000000000, true);
  perform twinbell.refuse_number('option pauseOnFailure', options -> 'pauseOnFailure', 1, 1000, true);
  perform twinbell.refuse_duration('option jitter', options -> 'jitter', 0, 86400, 'PT0S and PT24H');
  perform twinbell.refuse_duration('option timeout', options -> 'timeout', 0.001, 604800, 'PT0.001S and P7D');
  perform twinbell.refuse_choice('option orphan', options -> 'orphan', '{DROP,RERUN}');
  if jsonb_typeof(options -> 'overlap') = 'object' then
    perform twinbell.refuse_others('option overlap', options -> 'overlap', '{policy,max}');
    perform twinbell.refuse_choice('option overlap.policy', options #> '{overlap,policy}', '{ALLOW,SKIP,QUEUE,CANCEL_RUNNING}');
    perform twinbell.refuse_number('option overlap.max', options #> '{overlap,max}', 1, 1000, true);
    if options #>> '{overlap,max}' is not null and options #>> '{overlap,policy}' is distinct from 'QUEUE' then
      perform twinbell.refuse('option overlap.max is only for QUEUE');
    end if;
  else
    perform twinbell.refuse_choice('option overlap', options -> 'overlap', '{ALLOW,SKIP,QUEUE,CANCEL_RUNNING}');
  end if;
  if jsonb_typeof(options -> 'retry') = 'object' then
    perform twinbell.refuse_others('option retry', options -> 'retry', '{maxAttempts,backoff,multiplier,maxBackoff,jitter}');
    perform twinbell.refuse_number('option retry.maxAttempts', options #> '{retry,maxAttempts}', 1, 1000, true);
    perform twinbell.refuse_number('option retry.multiplier', options #> '{retry,multiplier}', 1, 100, false);
    perform twinbell.refuse_number('option retry.jitter', options #> '{retry,jitter}', 0, 1, false);
    perform twinbell.refuse_duration('option retry.backoff', options #> '{retry,backoff}', 0, 604800, 'PT0S and P7D');
    perform twinbell.refuse_duration('option retry.maxBackoff', options #> '{retry,maxBackoff}', 0, 604800, 'PT0S and P7D');
    if twinbell.duration_seconds(options #>> '{retry,maxBackoff}')
      < twinbell.duration_seconds(coalesce(options #>> '{retry,backoff}', 'PT1S')) then
      perform twinbell.refuse('option retry.maxBackoff is shorter than the backoff');
    end if;
  end if;
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
      perform twinbell.refuse('option concurrencyKey must not begin with app:, tag: or handler:', 'limits of that name are others');
    end if;
  end if;
  perform twinbell.refuse_followers('then', options -> 'then');
  perform twinbell.refuse_followers('thenOnFailure', options -> 'thenOnFailure');
  since := case when options ->> 'start' is not null then twinbell.instant_of('option start', options -> 'start') end;
  if options ->> 'end' is not null and twinbell.instant_of('option end', options -> 'end') < coalesce(since, now()) then
    perform twinbell.refuse('option end lies before the start');
  end if;
  if jsonb_path_exists(options -> 'data', 'strict $.**{100}') then
    perform twinbell.refuse('option data is nested more than 100 levels deep');
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
    perform twinbell.refuse(format('the schedule never fires: %s is after the option end, %s',
      to_json(fire at time zone 'UTC') #>> '{}', options ->> 'end'));
  end if;
end $$;

-- A task that has nothing to be refused and nothing to be looked at more closely, as nearly all have. Stricter than the
-- checks above, and cheaper: what is false or null here goes through them.
create or replace function twinbell.is_plain(app text, name text, schedule jsonb, handler jsonb, options jsonb) returns boolean
  language sql immutable parallel safe
as $$
  select length(app) between 1 and 200 and app ~ '^[\x20-\x7e]+$' and length(name) between 1 and 200 and name ~ '^[\x20-\x7e]+$'
    and jsonb_typeof(schedule) = 'object' and jsonb_typeof(handler) = 'object'
    and (schedule - 'in' = '{}' and schedule ->> 'in' ~ '^P(\d{1,3}D|T\d{1,4}[HMS])$'
      or schedule - 'every' = '{}' and schedule ->> 'every' ~ '^PT[1-9]\d{0,3}[HMS]$'
      or schedule - 'at' = '{}'
        and schedule ->> 'at' ~ '^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{3})?Z$')
    and jsonb_typeof(coalesce(schedule -> 'every', schedule -> 'at', schedule -> 'in')) = 'string'
    and (handler ->> 'type' = 'java' and handler - '{type,key}'::text[] = '{}' and jsonb_typeof(handler -> 'key') = 'string'
        and handler ->> 'key' ~ '^[\x20-\x7e]{1,200}$'
      or handler ->> 'type' = 'log' and handler - 'type' = '{}'
      or handler ->> 'type' = 'http' and handler - '{type,url,method,body}'::text[] = '{}'
        and jsonb_typeof(handler -> 'url') = 'string'
        and handler ->> 'url' ~ '^https?://[A-Za-z0-9.-]+(:[1-9]\d{0,3})?(/[A-Za-z0-9/._~-]*)?$'
        and coalesce(handler ->> 'method' in ('GET', 'POST', 'PUT', 'DELETE', 'PATCH'), true)
        and coalesce(jsonb_typeof(handler -> 'method') = 'string', true)
        and coalesce(jsonb_typeof(handler -> 'body') = 'string' and handler ->> 'body' !~ '\$', true))
    and jsonb_typeof(handler -> 'type') = 'string'
    -- Too short for the depths and digits that nobody can read back, and for the bounds on the payload.
    and octet_length(handler::text) < 1000
    and (options = '{}' or jsonb_typeof(options) = 'object' and octet_length(options::text) < 1000
      and options - '{data,priority,overlap,orphan}'::text[] = '{}'
      and coalesce(jsonb_typeof(options -> 'data') <> 'null' and not jsonb_path_exists(options -> 'data', 'strict $.**{100}'), true)
      and coalesce(jsonb_typeof(options -> 'overlap') = 'string' and options ->> 'overlap' in ('ALLOW', 'SKIP', 'QUEUE', 'CANCEL_RUNNING'), true)
      and coalesce(jsonb_typeof(options -> 'orphan') = 'string' and options ->> 'orphan' in ('DROP', 'RERUN'), true)
      and coalesce(jsonb_typeof(options -> 'priority') = 'number' and options ->> 'priority' ~ '^[0-9]$', true))
$$;


-- Which keys each node has java handlers for, as it wrote them down when it joined; 10,000 at most.
create table twinbell.node_handlers (
  node      text primary key,
  keys      text[] not null,
  joined_at timestamptz not null default clock_timestamp()
);

-- Whether any task needs a key that a node lacks. The key that every node has is left out, and so costs no insert anything.
create index task_handler_key on twinbell.task (handler_key) where handler_key <> 'twinbell.noop';

-- Tasks that fire no more because they cannot be read: counted by each node.
create index task_in_error on twinbell.task_state (task_id) where state = 'ERROR';

-- A key that no node knows is no mistake while an application is being deployed, but it may be one.
create function twinbell.warn_of_unknown_key(handler jsonb) returns void
  language plpgsql
as $$
begin
  if handler ->> 'type' = 'java' and handler ->> 'key' <> 'twinbell.noop' and exists (select 1 from twinbell.node_handlers)
    and not exists (select 1 from twinbell.node_handlers h where handler ->> 'key' = any (h.keys)) then
    raise warning using message = format('no node has a java handler under the key "%s"', left(handler ->> 'key', 200)),
      hint = 'its slots wait until a node that has it is master, for 15 minutes at most';
  end if;
end $$;


-- Who may call the functions for what. The functions run with the rights of the schema's owner, so what a caller may have a
-- task do is said here. A role without a row of its own, or of a role that it is a member of, may have http, java and log
-- tasks of every app, without secrets. The owner, its members and superusers may everything.
create table twinbell.caller_right (
  role     name primary key,
  -- Null for all.
  apps     text[],
  handlers text[] not null check (handlers <@ '{http,sql,shell,java,log}'),
  secrets  boolean not null
);

-- What the current caller may. In a function that runs with the rights of its owner, current_user is the owner; the role that
-- called is the one of SET ROLE, or else the one that has logged in.
create function twinbell.caller(out caller name, out apps text[], out handlers text[], out secrets boolean)
  language plpgsql stable
as $$
declare
  owner constant name := (select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'twinbell');
begin
  caller := coalesce(nullif(current_setting('role'), 'none'), session_user::text);
  if pg_has_role(caller, owner, 'MEMBER') then
    handlers := '{http,sql,shell,java,log}';
    secrets := true;
    return;
  end if;
  select case when bool_or(r.apps is null) then null
           else array(select distinct app from twinbell.caller_right o, unnest(o.apps) as app
                      where o.role in (select rolname from pg_roles where pg_has_role(caller, oid, 'MEMBER'))) end,
         coalesce(array(select distinct handler from twinbell.caller_right o, unnest(o.handlers) as handler
                        where o.role in (select rolname from pg_roles where pg_has_role(caller, oid, 'MEMBER'))), '{}'),
         bool_or(r.secrets)
  into apps, handlers, secrets
  from twinbell.caller_right r join pg_roles p on p.rolname = r.role
  where pg_has_role(caller, p.oid, 'MEMBER');
  if secrets is null then
    apps := null;
    handlers := '{http,java,log}';
    secrets := false;
  end if;
end $$;

create function twinbell.refuse_caller(may record, right_needed text, allowed boolean) returns void
  language plpgsql
as $$
begin
  if allowed is not true then
    raise exception using errcode = 'insufficient_privilege',
      message = format('the role "%s" may not have tasks %s', may.caller, right_needed),
      hint = 'the owner of the schema allows it with twinbell.allow_caller(role, apps, handlers, secrets)';
  end if;
end $$;

create function twinbell.refuse_for_caller(may record, app text, handler jsonb, options jsonb) returns void
  language plpgsql
as $$
declare
  other text;
begin
  perform twinbell.refuse_caller(may, format('with the handler type %s', handler ->> 'type'), handler ->> 'type' = any (may.handlers));
  perform twinbell.refuse_caller(may, 'that use secrets',
    may.secrets or not (handler ->> 'type' = 'http' and (handler ? 'secret' or handler::text ~ '\$\{\s*secret')));
  if may.apps is not null then
    perform twinbell.refuse_caller(may, format('in the app "%s"', left(app, 200)), app = any (may.apps));
    for other in select follower ->> 'app' from jsonb_array_elements(coalesce(nullif(options -> 'then', 'null'), '[]')
        || coalesce(nullif(options -> 'thenOnFailure', 'null'), '[]')) as follower
      where jsonb_typeof(follower) = 'object' and follower ->> 'app' is not null
    loop
      perform twinbell.refuse_caller(may, format('that are followed by one in the app "%s"', left(other, 200)), other = any (may.apps));
    end loop;
  end if;
end $$;

-- Says what a role may have tasks do, in place of what was said before. Only the schema's owner and superusers may call it.
create function twinbell.allow_caller(role name, apps text[] default null, handlers text[] default '{http,java,log}',
    secrets boolean default false) returns void
  language plpgsql
as $$
begin
  if not exists (select 1 from pg_roles where rolname = allow_caller.role) then
    raise exception using errcode = 'undefined_object', message = format('there is no role "%s"', allow_caller.role);
  elsif not handlers <@ '{http,sql,shell,java,log}' then
    perform twinbell.refuse(format('handlers must be of http, sql, shell, java and log, not %s', handlers));
  end if;
  insert into twinbell.caller_right as r (role, apps, handlers, secrets) values (role, apps, handlers, secrets)
  on conflict on constraint caller_right_pkey do update
    set apps = excluded.apps, handlers = excluded.handlers, secrets = excluded.secrets;
end $$;
revoke all on function twinbell.allow_caller(name, text[], text[], boolean) from public;


-- As before, but that more is checked, that each caller has rights of its own, and that a finished task holds no name.
create or replace function twinbell.add_task(app text, name text, schedule jsonb, handler jsonb, options jsonb default '{}')
  returns bigint
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  given jsonb := coalesce(options, '{}');
  since constant timestamptz := date_trunc('milliseconds', now());
  start_text constant text := to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  may record;
  written jsonb;
  labels text[] := '{}';
  added bigint;
  standing record;
begin
  if twinbell.is_plain(add_task.app, add_task.name, add_task.schedule, add_task.handler, given) is not true then
    perform twinbell.refuse_line('app', add_task.app);
    perform twinbell.refuse_line('name', add_task.name);
    perform twinbell.refuse_unreadable('schedule', add_task.schedule);
    perform twinbell.refuse_unreadable('handler', add_task.handler);
    perform twinbell.refuse_unreadable('options', given);
    perform twinbell.refuse_schedule(add_task.schedule);
    perform twinbell.refuse_handler(add_task.handler);
    perform twinbell.refuse_options(given);
    perform twinbell.refuse_payload(add_task.schedule, add_task.handler, given);
    perform twinbell.refuse_never(add_task.schedule, given);

    select coalesce(jsonb_object_agg(key, value), '{}') into given from jsonb_each(given) where value <> 'null';
    select coalesce(array_agg(distinct tag), '{}') into labels
    from jsonb_array_elements_text(coalesce(given -> 'tags', '[]')) as tag;
  end if;
  select * into may from twinbell.caller();
  perform twinbell.refuse_for_caller(may, add_task.app, add_task.handler, given);
  perform twinbell.warn_of_unknown_key(add_task.handler);
  written := jsonb_build_object('schedule', add_task.schedule, 'handler', add_task.handler)
    || (given - '{owner,tags,enabled,ifExists}'::text[]);
  loop
    insert into twinbell.task as t (app, name, owner, tags, handler_type, handler_key, definition)
    values (add_task.app, add_task.name, given ->> 'owner', labels, add_task.handler ->> 'type',
            case when add_task.handler ->> 'type' = 'java' then add_task.handler ->> 'key' end,
            twinbell.usual_options() || jsonb_build_object('start', start_text) || written)
    on conflict on constraint task_app_name_key do nothing
    returning t.id into added;
    if added is not null then
      insert into twinbell.task_state (task_id, state, state_reason)
      values (added, case when given -> 'enabled' = 'false' then 'PAUSED' else 'ACTIVE' end,
              case when given -> 'enabled' = 'false' then 'disabled' end);
      insert into twinbell.arrival (task_id, at) values (added, since);
      exit;
    end if;
    -- A finished task holds no name: it goes, its executions stay, and the new one gets an id of its own. One that is asked
    -- for the same instant once more stays, as with PUT. Locked, because a claim or an edit may be at it just now.
    if exists (select 1 from twinbell.task t join twinbell.task_state s on s.task_id = t.id
               where t.app = add_task.app and t.name = add_task.name and s.state = 'FINISHED') then
      delete from twinbell.task t where t.id in (
        select t.id from twinbell.task t join twinbell.task_state s on s.task_id = t.id
        where t.app = add_task.app and t.name = add_task.name and s.state = 'FINISHED'
          and not exists (select 1 from twinbell.arrival a where a.task_id = t.id)
          and not coalesce(given ->> 'ifExists' = 'REPLACE' and add_task.schedule ? 'at'
            and (add_task.schedule ->> 'at')::timestamptz <= greatest(now(), s.previous_fire_time)
            and (t.definition #>> '{schedule,at}')::timestamptz = (add_task.schedule ->> 'at')::timestamptz, false)
        for update of t, s)
      returning t.id into added;
      if added is not null then
        perform pg_notify('twinbell_task', added::text);
        continue;
      end if;
    end if;
    if coalesce(given ->> 'ifExists', 'REFUSE') = 'REFUSE' then
      raise exception using errcode = 'unique_violation',
        message = format('the app "%s" has a task named "%s" already', add_task.app, add_task.name),
        hint = 'option ifExists may say KEEP or REPLACE';
    end if;
    -- Held against removal until the end of the transaction; if it is gone already, it is added after all.
    select t.id into added from twinbell.task t where t.app = add_task.app and t.name = add_task.name for key share;
    if added is not null and given ->> 'ifExists' = 'KEEP' then
      return added;
    elsif added is not null then
      -- PUT keeps the start that it does not name; only what counts from it begins anew.
      insert into twinbell.arrival as a (task_id, at, replacement)
      values (added, since, case when add_task.schedule ? 'in' then jsonb_build_object('start', start_text)
                            else '{}' end
                            || written || (given - 'ifExists')
                            || jsonb_build_object('app', add_task.app, 'name', add_task.name))
      on conflict (task_id) do update set at = excluded.at, replacement = excluded.replacement;
      exit;
    end if;
  end loop;
  perform pg_notify('twinbell_ledger', '');
  return added;
end $$;

create or replace function twinbell.add_tasks(tasks jsonb) returns setof bigint
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  -- As many are compared with as many, whatever the number was when this was planned.
  set enable_nestloop = off
as $$
declare
  since constant timestamptz := date_trunc('milliseconds', now());
  usual constant jsonb := twinbell.usual_options()
    || jsonb_build_object('start', to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
  may record;
  ids bigint[];
  place int;
  task jsonb;
  problem text;
  advice text;
begin
  if jsonb_typeof(tasks) is distinct from 'array' then
    perform twinbell.refuse('tasks must be a JSON array');
  elsif jsonb_array_length(tasks) > 10000 then
    perform twinbell.refuse(format('there are %s tasks; at most 10000 go in a call', jsonb_array_length(tasks)));
  end if;
  select * into may from twinbell.caller();

  begin
    with items as materialized (
      select n, item ->> 'app' as app, item ->> 'name' as name, item -> 'schedule' as schedule, item -> 'handler' as handler,
             item - '{app,name}'::text[] as written,
             jsonb_typeof(item -> 'app') = 'string' and jsonb_typeof(item -> 'name') = 'string' as is_named
      from (select n, case when jsonb_typeof(item) = 'object' then item else '{}' end as item
            from jsonb_array_elements(tasks) with ordinality as given(item, n)) as objects
    ), plain as materialized (
      select *, nextval('twinbell.task_id_seq') as id from items
      where is_named and twinbell.is_plain(app, name, schedule, handler, written - '{schedule,handler}'::text[])
        and handler ->> 'type' = any (may.handlers) and (may.apps is null or app = any (may.apps))
    ), added as (
      -- Two that add the same names in one order wait for each other; in two orders they would deadlock.
      insert into twinbell.task (id, app, name, handler_type, handler_key, definition) overriding system value
      select id, app, name, handler ->> 'type', case when handler ->> 'type' = 'java' then handler ->> 'key' end,
             usual || written
      from plain order by app, name
    ), states as (
      insert into twinbell.task_state (task_id) select id from plain
    ), arrivals as (
      insert into twinbell.arrival (task_id, at) select id, since from plain
    )
    select array_agg(id order by n) into ids from items left join plain using (n);
  exception when unique_violation then
    -- Each by itself: the one that is there already is named below, unless it has gone meanwhile.
    ids := array_fill(null::bigint, array[jsonb_array_length(tasks)]);
  end;

  perform twinbell.warn_of_unknown_key(handler) from (
    select distinct item -> 'handler' as handler from jsonb_array_elements(tasks) as item
    where jsonb_typeof(item) = 'object' and item #>> '{handler,type}' = 'java' and item #>> '{handler,key}' <> 'twinbell.noop'
    limit 100) as keys;

  begin
    for place in select n from unnest(ids) with ordinality as missing(id, n) where id is null order by n loop
      task := tasks -> (place - 1);
      if jsonb_typeof(task) <> 'object' then
        perform twinbell.refuse('a task must be a JSON object');
      elsif jsonb_typeof(task -> 'app') not in ('string', 'null') or jsonb_typeof(task -> 'name') not in ('string', 'null') then
        perform twinbell.refuse('app and name must be texts');
      end if;
      ids[place] := twinbell.add_task(task ->> 'app', task ->> 'name', task -> 'schedule', task -> 'handler',
        task - '{app,name,schedule,handler}'::text[]);
    end loop;
  exception when invalid_parameter_value or unique_violation or insufficient_privilege then
    get stacked diagnostics problem = message_text, advice = pg_exception_hint;
    problem := format('/%s: %s', place - 1, problem);
    if advice = '' then
      raise exception using errcode = sqlstate, message = problem;
    end if;
    raise exception using errcode = sqlstate, message = problem, hint = advice;
  end;

  if cardinality(ids) > 0 then
    perform pg_notify('twinbell_ledger', '');
  end if;
  return query select unnest(ids);
end $$;

create or replace function twinbell.remove_task(id bigint) returns boolean
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  removed record;
  may record;
begin
  -- The task's row first, as whoever edits does.
  perform 1 from twinbell.task t where t.id = remove_task.id for update;
  if not found then
    return false;
  end if;
  select t.app, t.name, t.handler_type, t.definition, s.state, s.state_reason, s.paused_by, s.paused_until,
         s.next_fire_time, s.previous_fire_time, a.at as arrived_at
  into removed
  from twinbell.task t join twinbell.task_state s on s.task_id = t.id left join twinbell.arrival a on a.task_id = t.id
  where t.id = remove_task.id for update of s;
  select * into may from twinbell.caller();
  perform twinbell.refuse_caller(may, format('in the app "%s"', removed.app), may.apps is null or removed.app = any (may.apps));
  if removed.arrived_at is not null or removed.next_fire_time <= clock_timestamp() then
    insert into twinbell.removal (task_id, app, name, handler_type, definition, state, state_reason,
                                       paused_by, paused_until, next_fire_time, previous_fire_time, arrived_at, removed_at)
    values (remove_task.id, removed.app, removed.name, removed.handler_type, removed.definition, removed.state,
            removed.state_reason, removed.paused_by, removed.paused_until, removed.next_fire_time, removed.previous_fire_time, removed.arrived_at,
            clock_timestamp());
    perform pg_notify('twinbell_ledger', '');
  end if;
  delete from twinbell.task t where t.id = remove_task.id;
  perform pg_notify('twinbell_task', remove_task.id::text);
  return true;
end $$;

-- The same by the key that the application gave the task.
create function twinbell.remove_task(app text, name text) returns boolean
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  found_id constant bigint := (select t.id from twinbell.task t where t.app = remove_task.app and t.name = remove_task.name);
begin
  return found_id is not null and twinbell.remove_task(found_id);
end $$;
revoke all on function twinbell.remove_task(text, text) from public;
-- Who may remove tasks by their id may do so by their name.
do $$
declare
  granted record;
begin
  for granted in
    select acl.grantee, acl.is_grantable from pg_proc p, aclexplode(p.proacl) as acl
    where p.oid = 'twinbell.remove_task(bigint)'::regprocedure and acl.privilege_type = 'EXECUTE'
      and acl.grantee not in (0, p.proowner)
  loop
    execute format('grant execute on function twinbell.remove_task(text, text) to %s%s', granted.grantee::regrole,
      case when granted.is_grantable then ' with grant option' else '' end);
  end loop;
end $$;
