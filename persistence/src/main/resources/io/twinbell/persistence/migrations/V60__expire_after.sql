-- The option expireAfter, for slots that must not start late.
create or replace function twinbell.task_options() returns table (option text, type text)
  language sql immutable
as $$
  values ('owner', 'string'), ('tags', 'array'), ('enabled', 'boolean'), ('priority', 'number'), ('data', null),
         ('start', 'string'), ('end', 'string'), ('calendars', 'array'), ('onExcluded', 'string'), ('maxRuns', 'number'),
         ('jitter', 'string'), ('timeout', 'string'), ('expireAfter', 'string'), ('retry', 'object'), ('misfire', 'object'),
         ('overlap', null), ('orphan', 'string'), ('onDoubt', 'string'), ('pauseOnFailure', 'number'),
         ('concurrencyKey', 'string'), ('then', 'array'), ('thenOnFailure', 'array'), ('ifExists', 'string')
$$;

create or replace function twinbell.refuse_options(options jsonb) returns void
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
