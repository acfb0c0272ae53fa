-- Mistakes that the API refuses, and add_task found only after the commit: URLs, methods and statements. The previous build
-- calls refuse_handler through add_task alone, so it goes on as it is.

-- What stands in a variable is left to the node.
create function twinbell.refuse_url(url text) returns void
  language plpgsql
as $$
declare
  authority constant text := (regexp_match(url, '^[^:]+://([^/?#]*)'))[1];
begin
  if authority like '%@%' then
    perform twinbell.refuse('handler.url must not carry a user name or password', 'use an Authorization header');
  elsif url ~ '\$' then
    return;
  elsif url like '%#%' then
    perform twinbell.refuse('handler.url must have no fragment', '"#" is never sent');
  elsif url like '% %' then
    perform twinbell.refuse('handler.url has a blank, which no URL may have', 'write %20');
  elsif url ~ '%(?![0-9A-Fa-f]{2})' then
    perform twinbell.refuse('handler.url has a "%" without two hexadecimal digits', 'write %25 for the character');
  elsif authority like '[%' and authority not like '[%]%' or authority like '%..%' then
    perform twinbell.refuse(format('handler.url has %s, which is not a host', left(to_json(authority)::text, 200)),
      'a name has letters, digits, "-", "_" and dots');
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

-- The first word. Where comments are nested, or something else than a word comes first, the node looks.
create function twinbell.refuse_statement(statement text) returns void
  language plpgsql
as $$
declare
  verbs constant text[] := '{select,insert,update,delete,merge,with,values,call,notify,truncate,refresh}';
  verb constant text := lower((regexp_match(statement, '^(?:\s|\(|--[^\n]*\n|/\*(?:[^*/]|\*(?!/)|/(?!\*))*\*/)*([A-Za-z_]+)'))[1]);
begin
  if verb <> all(verbs) then
    perform twinbell.refuse(format('handler.statement must not begin with %s', left(verb, 100)),
      'one of ' || array_to_string(verbs, ', '));
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
        perform twinbell.refuse('handler.message must have at most 10000 characters, none of them control characters');
      end if;
  end case;
end $$;

-- ISO-8601 has no 24th hour in an instant.
create or replace function twinbell.instant_of(field text, value jsonb) returns timestamptz
  language plpgsql
as $$
declare
  written constant text := value #>> '{}';
  instant timestamptz;
begin
  if jsonb_typeof(value) is distinct from 'string' or length(written) > 40 or written ~* 'T24' or written !~*
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
