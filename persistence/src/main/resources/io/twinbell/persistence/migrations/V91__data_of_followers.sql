-- A template may name what a follower finds in its data: the execution before it, and the task's own data under "value". Other
-- tasks decide whether a task follows them.
create or replace function twinbell.variable_problem(name text, data jsonb, place text) returns text
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
