-- Profiles of http calls: those that each node has, as it wrote them down when it joined, and the tasks and alerts that use one.
alter table twinbell.node_handlers add column profiles text[] not null default '{}';

create index task_http_profile on twinbell.task ((definition #>> '{handler,profile}'))
  where definition #>> '{handler,profile}' is not null;

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

-- As before, but a call may name a profile.
create or replace function twinbell.refuse_http(handler jsonb) returns void
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

-- As before, but a role without the right to use secrets may not use profiles, which contain keys and passwords.
create or replace function twinbell.refuse_for_caller(may record, app text, handler jsonb, options jsonb) returns void
  language plpgsql
as $$
declare
  other text;
begin
  perform twinbell.refuse_caller(may, format('with the handler type %s', handler ->> 'type'), handler ->> 'type' = any (may.handlers));
  perform twinbell.refuse_caller(may, 'that use secrets',
    may.secrets or not (handler ->> 'type' = 'http' and (handler ? 'secret' or handler::text ~ '\$\{\s*secret')));
  perform twinbell.refuse_caller(may, 'that use http profiles', may.secrets or handler ->> 'type' <> 'http' or handler ->> 'profile' is null);
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
