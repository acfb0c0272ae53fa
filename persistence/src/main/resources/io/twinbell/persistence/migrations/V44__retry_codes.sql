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

create or replace function twinbell.refuse_general_options(options jsonb) returns void
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
