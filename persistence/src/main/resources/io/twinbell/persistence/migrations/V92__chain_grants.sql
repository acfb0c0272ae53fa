-- Chains do not go round grants. Each task remembers what whoever stored it last may not use: handler types, and 'secrets'. The run
-- of a follower inherits that from all tasks before it, and does not start if its own handler needs one of these. So it does not
-- matter when, and by whom, the follower is stored or changed. A task that was stored before has no such limit.
alter table twinbell.task add column lacking text[] not null default '{}';

-- What whoever makes this change may not use; null if the node makes it by itself, or a role that may use everything.
create function twinbell.lacking_of_caller() returns text[]
  language plpgsql stable
as $$
declare
  may record;
  stated jsonb;
begin
  select * into may from twinbell.caller();
  if may.secrets and may.handlers @> '{http,sql,shell,java,log}' then
    stated := nullif(current_setting('twinbell.actor', true), '')::jsonb;
    return case when stated is not null then array(select jsonb_array_elements_text(coalesce(stated -> 'lacking', '[]'))) end;
  end if;
  return array(select type from unnest('{http,sql,shell,java,log}'::text[]) as type where type <> all (may.handlers))
    || case when may.secrets then '{}' else '{secrets}'::text[] end;
end $$;

-- The first of these that the handler uses; null if it uses none.
create function twinbell.first_lacking(lacking text[], handler jsonb) returns text
  language sql immutable parallel safe
as $$
  select l from unnest(lacking) as l
  where l = handler ->> 'type'
    or l = 'secrets' and (handler ->> 'profile' is not null or handler @? '$.**.secret ? (@ != null)' or handler::text ~ '\$\{\s*secret')
  limit 1
$$;

create function twinbell.followers(definition jsonb) returns setof jsonb
  language sql immutable parallel safe
as $$
  select jsonb_array_elements(case when jsonb_typeof(links) = 'array' then links else '[]' end)
  from (values (definition -> 'then'), (definition -> 'thenOnFailure')) as l(links)
$$;

-- Refuses at once what would not run: a chain to a task that exists and needs something that the caller may not use.
create function twinbell.refuse_chain(lacks text[], of_app text, definition jsonb) returns void
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
    raise exception using errcode = 'insufficient_privilege', constraint = 'task_chain_grants',
      message = format('%s may not lead a chain to the task %s/%s: it needs the grant "%s"',
        coalesce(nullif(current_setting('twinbell.actor', true), '')::jsonb ->> 'actor',
          format('the role "%s"', (select c.caller from twinbell.caller() as c))),
        left(found_task.app, 200), left(found_task.name, 200), found_task.needed);
  end if;
end $$;

create function twinbell.note_lacking() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
as $$
declare
  lacks constant text[] := twinbell.lacking_of_caller();
begin
  new.lacking := coalesce(lacks, case tg_op when 'UPDATE' then old.lacking end, '{}');
  perform twinbell.refuse_chain(lacks, new.app, new.definition);
  return new;
end $$;
create trigger note_lacking before insert or update of definition on twinbell.task
  for each row when (new.definition ? 'then' or new.definition ? 'thenOnFailure') execute function twinbell.note_lacking();

-- The master stores a replacement later, and no longer knows the role.
create function twinbell.note_lacking_of_replacement() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
as $$
declare
  lacks constant text[] := twinbell.lacking_of_caller();
begin
  perform twinbell.refuse_chain(lacks, new.replacement ->> 'app', new.replacement);
  update twinbell.task t set lacking = coalesce(lacks, '{}') where t.id = new.task_id and t.lacking <> coalesce(lacks, '{}');
  return null;
end $$;
create trigger note_lacking after insert or update of replacement on twinbell.arrival
  for each row when (new.replacement is not null) execute function twinbell.note_lacking_of_replacement();

-- Other data for a run by hand changes what its followers are given, as a change of the task would.
create function twinbell.refuse_chain_of_run() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
as $$
begin
  perform twinbell.refuse_chain(twinbell.lacking_of_caller(), t.app, t.definition)
  from twinbell.task t where t.id = new.task_id and t.chained;
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
  lacks text[];
  needed text;
begin
  select e.parent -> 'lacking' into inherited
  from twinbell.execution e where e.task_id = before and e.fire_time = (new.parent ->> 'fireTime')::timestamptz;
  select array(select unnest(t.lacking) union select jsonb_array_elements_text(coalesce(inherited, '[]')) order by 1) into lacks
  from twinbell.task t where t.id = before;
  if coalesce(lacks, '{}') <> '{}' then
    new.parent := new.parent || jsonb_build_object('lacking', lacks);
    select twinbell.first_lacking(lacks, t.definition -> 'handler') into needed from twinbell.task t where t.id = new.task_id;
    if needed is not null then
      new.state := 'SKIPPED';
      new.ended_at := clock_timestamp();
      new.reason := format('%s, but not run: it needs the grant "%s", which whoever stored a task before it in the chain does not have',
        new.reason, needed);
    end if;
  end if;
  return new;
end $$;
create trigger refuse_follower before insert on twinbell.execution
  for each row when (new.origin = 'CHAINED' and new.state = 'PENDING') execute function twinbell.refuse_follower();

revoke all on function twinbell.lacking_of_caller(), twinbell.first_lacking(text[], jsonb), twinbell.followers(jsonb),
  twinbell.refuse_chain(text[], text, jsonb), twinbell.note_lacking(), twinbell.note_lacking_of_replacement(),
  twinbell.refuse_chain_of_run(), twinbell.refuse_follower() from public;
