-- Chains do not go round grants. Each task remembers what whoever stored it last may not use: handler types, and 'secrets', each with
-- the name of the right. The run of a follower inherits that from all tasks before it, and does not start if its own handler needs
-- one of these. So it does not matter when, and by whom, the follower is stored or changed. A task that was stored before has no
-- such limit.
alter table twinbell.task add column lacking jsonb not null default '{}';

-- The same of whoever replaces the task, until the master stores the replacement.
alter table twinbell.arrival add column lacking jsonb;

-- What whoever makes this change may not use; null if the node makes it by itself, or a role that may use everything.
create function twinbell.lacking_of_caller() returns jsonb
  language plpgsql stable
as $$
declare
  may record;
  stated jsonb;
begin
  select * into may from twinbell.caller();
  if may.secrets and may.handlers @> '{http,sql,shell,java,log}' then
    stated := nullif(current_setting('twinbell.actor', true), '')::jsonb;
    return case when stated is not null then (select coalesce(jsonb_object_agg(word, format('grant "%s"', word)), '{}')
      from jsonb_array_elements_text(coalesce(stated -> 'lacking', '[]')) as word) end;
  end if;
  return (select coalesce(jsonb_object_agg(type, format('right to the handler type "%s"', type)), '{}')
      from unnest('{http,sql,shell,java,log}'::text[]) as type where type <> all (may.handlers))
    || case when may.secrets then '{}' else '{"secrets": "right to use secrets"}' end::jsonb;
end $$;

-- The first of these that the handler uses; null if it uses none.
create function twinbell.first_lacking(lacking jsonb, handler jsonb) returns text
  language sql immutable parallel safe
as $$
  select l from jsonb_object_keys(lacking) as l
  where l = handler ->> 'type'
    or l = 'secrets' and (handler ->> 'profile' is not null or handler @? '$.**.secret ? (@ != null)' or handler::text ~ '\$\{\s*secret')
  limit 1
$$;

-- For each of these, why a run does not start that needs it.
create function twinbell.because_lacking(lacking jsonb, who text, remedy text) returns jsonb
  language sql immutable parallel safe
as $$
  select coalesce(jsonb_object_agg(key, format('%s has no %s; %s with the %s', who, value, remedy, split_part(value, ' ', 1))), '{}')
  from jsonb_each_text(lacking)
$$;

create function twinbell.followers(definition jsonb) returns setof jsonb
  language sql immutable parallel safe
as $$
  select jsonb_array_elements(case when jsonb_typeof(links) = 'array' then links else '[]' end)
  from (values (definition -> 'then'), (definition -> 'thenOnFailure')) as l(links)
$$;

create function twinbell.refuse_without(what text, needed text) returns void
  language plpgsql
as $$
begin
  raise exception using errcode = 'insufficient_privilege', constraint = 'task_chain_grants',
    message = format('%s may not %s: it needs the %s', coalesce(nullif(current_setting('twinbell.actor', true), '')::jsonb ->> 'actor',
      format('the role "%s"', (select c.caller from twinbell.caller() as c))), what, needed);
end $$;

-- Refuses at once what would not run: a chain to a task that exists and needs something that the caller may not use.
create function twinbell.refuse_chain(lacks jsonb, of_app text, definition jsonb) returns void
  language plpgsql stable
as $$
declare
  found_task record;
begin
  if coalesce(lacks, '{}') = '{}' then
    return;
  end if;
  with recursive led as (
    select coalesce(f ->> 'app', of_app) as app, coalesce(f ->> 'name', f #>> '{}') as name from twinbell.followers(definition) as f
    union
    select f ->> 'app', f ->> 'name'
    from led join twinbell.task t on t.app = led.app and t.name = led.name cross join twinbell.followers(t.definition) as f
  )
  select t.app, t.name, twinbell.first_lacking(lacks, t.definition -> 'handler') as needed into found_task
  from led join twinbell.task t on t.app = led.app and t.name = led.name
  where twinbell.first_lacking(lacks, t.definition -> 'handler') is not null
  order by 1, 2 limit 1;
  if found then
    perform twinbell.refuse_without(format('lead a chain to the task %s/%s', left(found_task.app, 200), left(found_task.name, 200)),
      lacks ->> found_task.needed);
  end if;
end $$;

-- The master is no author. When it stores a replacement, it states what its author lacks; when it writes a definition anew for
-- another reason, what the author lacked stays. These transactions of the master are those that are exempt from quotas.
create function twinbell.note_lacking() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
as $$
declare
  lacks constant jsonb := twinbell.lacking_of_caller();
begin
  new.lacking := coalesce(lacks,
    nullif(current_setting('twinbell.replaced', true), '')::jsonb -> jsonb_build_array(new.app, new.name)::text,
    case when tg_op = 'UPDATE' and current_setting('twinbell.quotas', true) = 'exempt' then old.lacking end, '{}');
  perform twinbell.refuse_chain(lacks, new.app, new.definition);
  return new;
end $$;
create trigger note_lacking before insert or update of definition on twinbell.task
  for each row when (new.definition ? 'then' or new.definition ? 'thenOnFailure') execute function twinbell.note_lacking();

create function twinbell.note_lacking_of_replacement() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
as $$
begin
  new.lacking := coalesce(twinbell.lacking_of_caller(), '{}');
  perform twinbell.refuse_chain(new.lacking, new.replacement ->> 'app', new.replacement);
  return new;
end $$;
create trigger note_lacking before insert or update of replacement on twinbell.arrival
  for each row when (new.replacement ? 'then' or new.replacement ? 'thenOnFailure')
  execute function twinbell.note_lacking_of_replacement();

-- What a run inherits is in its parent, also if it follows no other and somebody gave it other data by hand. Handlers do not get it.
create or replace function twinbell.run_definition(definition jsonb, parent jsonb, data jsonb) returns jsonb
  language sql immutable parallel safe
as $$
  select twinbell.with_parent(case when data is null then definition else jsonb_set(definition, '{data}', data) end,
    nullif(parent - 'lacking', '{}'))
$$;

-- Other data for a run by hand changes what its followers are given, as a change of the task would.
create function twinbell.refuse_chain_of_run() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
as $$
declare
  lacks constant jsonb := twinbell.lacking_of_caller();
begin
  perform twinbell.refuse_chain(lacks, t.app, t.definition) from twinbell.task t where t.id = new.task_id and t.chained;
  if lacks <> '{}' then
    new.parent := coalesce(new.parent, '{}') || jsonb_build_object('lacking', twinbell.because_lacking(lacks,
      format('the caller who triggered %s/%s with other data', new.app, new.name), 'trigger that task again'));
  end if;
  return new;
end $$;
create trigger refuse_chain before insert on twinbell.execution
  for each row when (new.data is not null and new.state = 'PENDING') execute function twinbell.refuse_chain_of_run();

create function twinbell.refuse_follower() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
as $$
declare
  before constant bigint := (new.parent #>> '{task,id}')::bigint;
  inherited jsonb;
  lacks jsonb;
  needed text;
begin
  select e.parent -> 'lacking' into inherited
  from twinbell.execution e where e.task_id = before and e.fire_time = (new.parent ->> 'fireTime')::timestamptz;
  select twinbell.because_lacking(t.lacking, format('the last author of %s/%s', t.app, t.name), 'store that task again') into lacks
  from twinbell.task t where t.id = before;
  lacks := coalesce(inherited, '{}') || coalesce(lacks, '{}');
  if lacks <> '{}' then
    new.parent := new.parent || jsonb_build_object('lacking', lacks);
    select twinbell.first_lacking(lacks, t.definition -> 'handler') into needed from twinbell.task t where t.id = new.task_id;
    if new.state = 'PENDING' and needed is not null then
      new.state := 'SKIPPED';
      new.ended_at := clock_timestamp();
      new.reason := format('%s, not run: %s', new.reason, lacks ->> needed);
    end if;
  end if;
  return new;
end $$;
create trigger refuse_follower before insert on twinbell.execution
  for each row when (new.origin = 'CHAINED') execute function twinbell.refuse_follower();

-- To run it again takes the right that was lacking, if the task's handler needs it now.
create function twinbell.refuse_rerun() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
as $$
declare
  lacks constant jsonb := (select jsonb_object_agg(key, value) from jsonb_each(twinbell.lacking_of_caller())
    where new.parent -> 'lacking' ? key);
  needed text;
begin
  select twinbell.first_lacking(lacks, t.definition -> 'handler') into needed from twinbell.task t where t.id = new.task_id;
  if needed is not null then
    perform twinbell.refuse_without(format('run %s/%s again', left(new.app, 200), left(new.name, 200)), lacks ->> needed);
  end if;
  return new;
end $$;
create trigger refuse_rerun before update of state on twinbell.execution
  for each row when (new.state = 'PENDING' and new.parent ? 'lacking'
    and old.state in ('SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED', 'MISSED', 'DROPPED'))
  execute function twinbell.refuse_rerun();

revoke all on function twinbell.lacking_of_caller(), twinbell.first_lacking(jsonb, jsonb), twinbell.because_lacking(jsonb, text, text),
  twinbell.followers(jsonb), twinbell.refuse_without(text, text), twinbell.refuse_chain(jsonb, text, jsonb), twinbell.note_lacking(),
  twinbell.note_lacking_of_replacement(), twinbell.refuse_chain_of_run(), twinbell.refuse_follower(), twinbell.refuse_rerun() from public;
