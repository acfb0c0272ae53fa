-- Mistakes that the API refuses, and add_task found only after the commit: hosts, ports and characters of URLs, variables of
-- templates, and statements that are several, that name what is Twinbell's own, or whose parameters do not exist. The previous
-- build calls these functions through add_task alone, so it goes on as it is. What is refused here is refused by the API too.

-- A host as the API reads it. Names in other scripts are converted by the node.
create function twinbell.refuse_host(authority text) returns void
  language plpgsql
as $$
declare
  advice constant text := 'a name has letters, digits, "-", "_" and dots';
  shown constant text := left(to_json(authority)::text, 200);
  host text := split_part(authority, ':', 1);
  port text := substr(authority, length(host) + 2);
  address text;
begin
  if authority like '[%' then
    address := substring(authority from '^\[([^]]*)\](?::.*)?$');
    port := substring(authority from '^\[[^]]*\]:(.*)$');
    if address is null or address !~ '^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$' or address like '%:::%' or address like '%::%::%'
      or address not like '%::%' and length(address) - length(replace(address, ':', ''))
        <> (case when address like '%.%' then 6 else 7 end) then
      perform twinbell.refuse(format('handler.url has %s, which is not a host', shown), 'an IPv6 address stands as in [::1]');
    end if;
  elsif host = '' then
    perform twinbell.refuse('handler.url names no host', 'write http://HOST/PATH');
  elsif host ~ '(^\.|\.\.)' then
    perform twinbell.refuse(format('handler.url has %s, which is not a host', shown), advice);
  elsif host ~ '[\u00df\u03c2\u200c\u200d]' then
    perform twinbell.refuse(format('handler.url has a host with a character that standards convert differently: %s', shown),
      'write the host''s ASCII form, xn--…');
  elsif host !~ '[^\u0001-\u007f]' then
    host := regexp_replace(host, '\.$', '');
    if length(host) > 253 or exists (select 1 from unnest(string_to_array(host, '.')) as label where label !~ '^[A-Za-z0-9_-]{1,63}$') then
      perform twinbell.refuse(format('handler.url has %s, which is not a host', shown), advice);
    elsif host ~ '^[0-9]+(\.[0-9]+){3}$' and exists (
        select 1 from unnest(string_to_array(host, '.')) as octet where octet::numeric > 255) then
      perform twinbell.refuse(format('handler.url has %s, which is not an IPv4 address', shown));
    end if;
  end if;
  if port <> '' and (port !~ '^0*[1-9][0-9]{0,4}$' or port::numeric > 65535) then
    perform twinbell.refuse(format('handler.url names the port %s', left(port, 20)), 'ports are numbers from 1 to 65535');
  end if;
end $$;

create or replace function twinbell.refuse_url(url text) returns void
  language plpgsql
as $$
declare
  authority constant text := (regexp_match(url, '^[^:]+://([^/?#]*)'))[1];
  target constant text := regexp_replace(url, '^[^:]+://[^/?#]*', '');
  strange text;
begin
  if authority like '%@%' then
    perform twinbell.refuse('handler.url must not carry a user name or password', 'use an Authorization header');
  elsif url like '%#%' then
    perform twinbell.refuse('handler.url must have no fragment', '"#" is never sent');
  end if;
  perform twinbell.refuse_host(authority);
  strange := substring(regexp_replace(target, '\$\{[^}]*\}?', '', 'g')
    from '[^][A-Za-z0-9._~!$&''()*+,;=:@/?%\u0080-\U0010ffff-]');
  if strange = ' ' then
    perform twinbell.refuse('handler.url has a blank, which no URL may have', 'write %20');
  elsif strange is not null then
    perform twinbell.refuse(format('handler.url has the character %s, which no URL may have', to_json(strange)),
      format('write %%%s', upper(lpad(to_hex(ascii(strange)), 2, '0'))));
  -- A value may complete an escape, so those of a template are looked at by the node.
  elsif target !~ '\$' and target ~ '%(?![0-9A-Fa-f]{2})' then
    perform twinbell.refuse('handler.url has a "%" without two hexadecimal digits', 'write %25 for the character');
  end if;
end $$;

-- What is wrong with the name of a variable; null if nothing is. The data are those of the task, or null.
create function twinbell.variable_problem(name text, data jsonb, place text) returns text
  language plpgsql immutable
as $$
declare
  path constant text[] := string_to_array(name, '.');
  step text;
  value jsonb;
  written text;
begin
  if name in ('slot', 'fireTime', 'attempt') then
    return null;
  elsif name like 'secret.%' then
    return case
      when substr(name, 8) !~ '^[A-Z][A-Z0-9_]{0,62}$' or name like '%\_FILE'
        then format('"%s" is not the name of a secret: write capital letters, digits and "_", such as BILLING_KEY', left(substr(name, 8), 100))
      when place <> 'header' then 'must not carry a secret: use a header'
    end;
  elsif path[1] is distinct from 'data' or cardinality(path) > 32
    or exists (select 1 from unnest(path) as one where one !~ '^[A-Za-z0-9_-]{1,100}$') then
    return case when path[1] = 'alert' then 'only the webhook of an alert knows one'
      else format('unknown variable "%s"; there are slot, fireTime, attempt, data, data.PATH and secret.NAME', left(name, 100)) end;
  end if;
  value := nullif(data, 'null');
  foreach step in array path[2:] loop
    -- No place counts from the end.
    value := case when jsonb_typeof(value) <> 'array' or step !~ '^-0*[1-9]' then value #> array[step] end;
  end loop;
  if value is null then
    return format('the task''s data has no "%s"', left(name, 200));
  end if;
  written := case jsonb_typeof(value) when 'string' then value #>> '{}' when 'null' then '' else value::text end;
  return case
    when place = 'header' and written !~ '^[\u0020-\u007e]*$' then 'a value in a header must be printable ASCII'
    when place = 'path' and written ~ '^\.*$' then 'a value in the path of a URL must not be empty, nor only dots'
  end;
end $$;

-- The mark of a variable is written in two parts here, since who runs the migrations has variables like that of its own.
create function twinbell.refuse_template(field text, template text, data jsonb, place text) returns void
  language plpgsql
as $body$
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
end $body$;

-- As before, but in the letters of no language: in some, the small letter of I is another one than i.
create or replace function twinbell.refuse_statement(statement text) returns void
  language plpgsql
as $$
declare
  verbs constant text[] := '{select,insert,update,delete,merge,with,values,call,notify,truncate,refresh}';
  verb constant text := lower((regexp_match(statement,
    '^(?:\s|\(|--[^\n]*\n|/\*(?:[^*/]|\*(?!/)|/(?!\*))*\*/)*([A-Za-z_]+)'))[1] collate "C");
begin
  if verb <> all (verbs) then
    perform twinbell.refuse(format('handler.statement must not begin with %s', left(verb, 100)),
      'one of ' || array_to_string(verbs, ', '));
  end if;
end $$;

-- Reads a statement as the node does: token by token, so that nothing hides in texts, comments, names and dollar quotes. Very
-- long ones are left to the node.
create function twinbell.refuse_statement_text(field text, statement text, own text[], data jsonb) returns void
  language plpgsql
as $body$
declare
  verbs constant text[] := '{select,insert,update,delete,merge,with,values,call,notify,truncate,refresh}';
  -- What Java knows as white space beyond ASCII; the rest may begin a word.
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
  -- Once more after each nested comment and each dollar quote, which no expression finds the end of.
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
        problem := 'must be one statement: write several as a list';
      elsif token = ';' then
        is_ended := true;
      -- A text with escapes that is not closed was read as the letter alone.
      elsif token in ('''', '"') or token like '''%' and before in ('e', 'E') then
        problem := 'has a quote that is not closed';
      elsif token ~ '^\$' then
        if length(token) > 1 then
          mark := token;
          exit;
        end if;
        problem := 'must name its parameters, such as :slot or :data.id; "$" is not for them';
      elsif token in ('u&', 'U&') then
        problem := 'must have no U& escapes';
      elsif token ~* '^(twinbell|set_config)$' or token in ('"twinbell"', '"set_config"') then
        problem := format('must not name "%s": that is Twinbell''s own', lower(btrim(token, '"') collate "C"));
      elsif token ~ '^:[A-Za-z]' and substr(token, 2) <> all (own) then
        problem := twinbell.variable_problem(substr(token, 2), data, 'statement');
        if problem like 'unknown variable%' then
          problem := format('has the unknown parameter "%s"; there are :slot, :fireTime, :attempt, :data, :data.PATH and what "parameters" names',
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
end $body$;

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
          perform twinbell.refuse(format('handler.headers has %s twice', header.key), 'case does not matter in header names');
        end if;
        perform twinbell.refuse_template(format('handler.headers.%s', header.key), header.value, data, 'header');
      end loop;
    end if;
    if handler #>> '{secret,ref}' !~ '^[A-Z][A-Z0-9_]{0,62}$' or handler #>> '{secret,ref}' like '%\_FILE' then
      perform twinbell.refuse(format('handler.secret.ref is not the name of a secret: %s', left(handler #>> '{secret,ref}', 100)),
        'write capital letters, digits and "_", such as BILLING_KEY');
    end if;
  elsif handler ->> 'type' = 'sql' then
    if cardinality(own) > 100 then
      perform twinbell.refuse('handler.parameters must be at most 100');
    end if;
    for one in select key from unnest(own) as key where key !~ '^[A-Za-z][A-Za-z0-9_]{0,62}$' or key = any (reserved) limit 1 loop
      perform twinbell.refuse(format('handler.parameters has %s, which is not a name of its own', left(to_json(one.key)::text, 100)),
        'letters, digits and "_", and none of ' || array_to_string(reserved, ', '));
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
      perform twinbell.refuse('handler.environment must be at most 100');
    elsif length(handler ->> 'workingDirectory') > 4096 or twinbell.has_hidden_characters(handler ->> 'workingDirectory') then
      perform twinbell.refuse('handler.workingDirectory must have at most 4096 characters, none of them control characters');
    end if;
  end if;
end $$;

-- The last of the checks, which sees handler and options together: the bounds on the payload, and then what the handler names.
create or replace function twinbell.refuse_payload(schedule jsonb, handler jsonb, options jsonb) returns void
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

-- As before, but that a host which is none is looked at more closely.
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
        -- Labels of up to 63 characters, and no four numbers but small ones.
        and handler ->> 'url' ~ '^https?://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*(:[1-9]\d{0,3})?(/[A-Za-z0-9/._~-]*)?$'
        and handler ->> 'url' !~ '^https?://[^/]{64}'
        and (handler ->> 'url' !~ '^https?://[0-9.]+([:/]|$)' or handler ->> 'url' ~ '^https?://(1?[0-9]{1,2}\.){3}1?[0-9]{1,2}([:/]|$)')
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
