-- A pause of the tasks of an app, with a tag or with a handler. It applies to tasks that are created later too, and changes none.
create table twinbell.standing_pause (
  id           bigint generated always as identity primary key,
  -- As twinbell.limit_keys computes them: app:…, tag:… or handler:…
  key          text not null check (key ~ '^(app|tag|handler):.' and length(key) <= 208),
  reason       text not null check (length(reason) <= 500),
  paused_by    text not null check (length(paused_by) <= 200),
  paused_at    timestamptz not null default clock_timestamp(),
  paused_until timestamptz,
  resumed_at   timestamptz
);
create unique index standing_pause_open on twinbell.standing_pause (key) where resumed_at is null;

-- Who paused the task by a standing pause, and why; null if nobody has.
create function twinbell.standing_pause_of(task twinbell.task) returns text
  language sql stable parallel safe
as $$
  select ' by ' || p.paused_by || ' for ' || p.key || ': ' || p.reason from twinbell.standing_pause p
  where p.resumed_at is null and coalesce(p.paused_until, 'infinity') > clock_timestamp()
    and p.key = any(twinbell.limit_keys(task))
  order by p.id limit 1
$$;

-- A follower that a standing pause covers is skipped like one that is paused itself.
create or replace function twinbell.chain(child_app text, child_name text, from_time timestamptz, because text, parent jsonb)
  returns text
  language plpgsql
as $$
declare
  child record;
  at bigint := twinbell.millis(from_time);
begin
  -- Without a lock: recording waits for nobody. A slot of a task that goes just now is cancelled when it is claimed.
  select t.id, s.state = 'PAUSED' or w.reason is not null as is_paused,
         case when s.state = 'PAUSED' then coalesce(': ' || s.state_reason, '') else w.reason end as paused_for into child
  from twinbell.task t join twinbell.task_state s on s.task_id = t.id
    cross join lateral (select twinbell.standing_pause_of(t) as reason) w
  where t.app = child_app and t.name = child_name;
  if not found then
    return 'there is no such task';
  elsif (parent ->> 'depth')::int > 100 then
    return 'the chain ends here, 100 executions after its first';
  end if;
  -- A millisecond that another transaction has taken meanwhile is waited for and passed over.
  for try in 1..1000 loop
    at := twinbell.free_slots(child.id, at, 1);
    insert into twinbell.execution (task_id, fire_time, app, name, origin, state, ended_at, reason, parent)
    values (child.id, twinbell.instant(at), child_app, child_name, 'CHAINED',
            case when child.is_paused then 'SKIPPED' else 'PENDING' end,
            case when child.is_paused then clock_timestamp() end,
            case when child.is_paused then because || ', but paused' || child.paused_for
            else because end, parent)
    on conflict do nothing;
    if found then
      return null;
    end if;
    at := at + 1;
  end loop;
  return 'no millisecond was free';
end $$;

-- In the statement that records outcomes, so that a chain goes on exactly once. All followers of all outcomes of the statement
-- are entered together.
create or replace function twinbell.follow_chains() returns trigger
  language plpgsql
  -- These tables are in memory and have no statistics. Rows of tasks and executions are found by key all the same.
  set enable_hashjoin = on
  set enable_nestloop = off
  set jit = off
as $$
declare
  most_runs constant integer := 10000;
  followed record;
  lost record;
  problem text;
begin
  if not exists (select 1 from twinbell.task where chained) then
    return null;
  end if;
  begin
    with parents as materialized (
      select n.task_id, n.fire_time, n.app, n.name, n.state, n.output, left(n.error, 8192) as error,
             coalesce(n.ended_at, clock_timestamp()) as ended_at, coalesce((n.parent ->> 'depth')::int, 0) + 1 as depth,
             coalesce((n.parent #>> '{root,task,id}')::bigint, n.task_id) as root_task_id,
             coalesce((n.parent #>> '{root,fireTime}')::timestamptz, n.fire_time) as root_fire_time,
             coalesce(n.parent -> 'root', jsonb_build_object('task', jsonb_build_object('id', n.task_id, 'app', n.app,
               'name', n.name), 'fireTime', twinbell.instant_text(n.fire_time))) as root,
             k.link, case jsonb_typeof(t.definition -> k.link) when 'array' then t.definition -> k.link else '[]' end
               as followers
      from after_it n join before_it o using (task_id, fire_time)
        join twinbell.task t on t.id = any(array[n.task_id])
        cross join lateral (select case n.state when 'SUCCEEDED' then 'then' else 'thenOnFailure' end as link) k
      where t.chained and n.state in ('SUCCEEDED', 'FAILED', 'TIMED_OUT') and o.state <> n.state
    ), links as materialized (
      select p.task_id, p.fire_time, p.ended_at, p.link, p.depth, p.root_task_id, p.root_fire_time,
             f.value ->> 'app' as child_app, f.value ->> 'name' as child_name, f.number,
             c.id as child_id, c.paused_for,
             c.id is not null and p.depth between 2 and 100 as counts
      from parents p cross join lateral jsonb_array_elements(p.followers) with ordinality as f(value, number)
        left join lateral (
          select t.id, case when s.state = 'PAUSED' then coalesce(': ' || s.state_reason, '')
                         when (select exists (select 1 from twinbell.standing_pause p where p.resumed_at is null))
                           then twinbell.standing_pause_of(t) end as paused_for
          from twinbell.task t join twinbell.task_state s on s.task_id = any(array[t.id])
          where t.app = any(array[f.value ->> 'app']) and t.name = any(array[f.value ->> 'name'])) c on true
    ), counted as (
      insert into twinbell.chain_runs as r (root_task_id, root_fire_time, runs)
      select root_task_id, root_fire_time, count(*) from links where counts group by 1, 2 order by 1, 2
      on conflict (root_task_id, root_fire_time)
        do update set runs = r.runs + excluded.runs, changed_at = clock_timestamp()
      returning root_task_id, root_fire_time, runs
    ), judged as materialized (
      select l.*,
             case
               when l.child_id is null then 'there is no such task'
               when l.depth > 100 then 'the chain ends here, 100 executions after its first'
               when l.counts and r.runs - count(*) over of_root + row_number() over (of_root
                 order by l.ended_at, l.task_id, l.fire_time, l.number) > most_runs
                 then 'not run: ' || most_runs || ' runs have followed from ' || l.root_task_id || '/'
                   || twinbell.instant_text(l.root_fire_time) || ', and no more may'
             end as refusal
      from links l left join counted r using (root_task_id, root_fire_time)
      window of_root as (partition by l.root_task_id, l.root_fire_time, l.counts)
    ), wanted as materialized (
      -- Of those that are one too many each follower has one row that says so.
      select j.*, row_number() over (partition by j.child_id order by j.ended_at, j.task_id, j.fire_time, j.number) as nth
      from (select q.*, row_number() over (partition by q.root_task_id, q.root_fire_time, q.child_id, q.refusal
              order by q.ended_at, q.task_id, q.fire_time, q.number) as of_these from judged q) j
      where j.refusal is null or j.counts and j.of_these = 1
    ), places as materialized (
      select w.child_id, s.at, s.nth
      from (select child_id, count(*)::integer as slots, max(ended_at) as after from wanted group by child_id) w
        cross join lateral twinbell.free_slots(w.child_id, twinbell.millis(w.after), w.slots) with ordinality as s(at, nth)
    ), entries as materialized (
      select w.child_id, twinbell.instant(s.at) as at, w.child_app, w.child_name, w.ended_at,
             w.refusal is not null or w.paused_for is not null as skipped,
             format('%s of %s/%s', w.link, p.app, p.name) || case
               when w.refusal is not null then ', ' || w.refusal
               when w.paused_for is not null then ', but paused' || w.paused_for else '' end as because,
             jsonb_build_object('task', jsonb_build_object('id', p.task_id, 'app', p.app, 'name', p.name),
               'fireTime', twinbell.instant_text(p.fire_time), 'state', p.state, 'output', p.output, 'error', p.error,
               'depth', p.depth, 'root', p.root) as parent
      from wanted w join parents p on p.task_id = w.task_id and p.fire_time = w.fire_time
        left join places s on s.child_id = w.child_id and s.nth = w.nth
    ), given as (
      insert into twinbell.execution (task_id, fire_time, app, name, origin, state, ended_at, reason, parent)
      select child_id, at, child_app, child_name, 'CHAINED', case when skipped then 'SKIPPED' else 'PENDING' end,
             case when skipped then clock_timestamp() end, because, parent
      from entries where at is not null
      on conflict do nothing
      returning task_id, fire_time
    )
    select exists (select 1 from given) as any_given,
           (select jsonb_agg(to_jsonb(e)) from entries e left join given g on g.task_id = e.child_id and g.fire_time = e.at
            where g.task_id is null and not e.skipped) as lost,
           (select jsonb_agg(jsonb_build_object('task', n.task_id, 'fire', twinbell.millis(n.fire_time), 'note', n.note))
            from (select task_id, fire_time, string_agg(format('%s %s/%s: %s', link, child_app, child_name, refusal),
                    E'\n' order by number) as note
                  from judged where refusal is not null group by task_id, fire_time) n) as notes
    into followed;

    -- Another transaction took the millisecond meanwhile.
    if followed.lost is not null then
      for lost in select * from jsonb_to_recordset(followed.lost)
          as l(child_app text, child_name text, ended_at timestamptz, because text, parent jsonb)
      loop
        problem := twinbell.chain(lost.child_app, lost.child_name, lost.ended_at, lost.because, lost.parent);
        followed.any_given := followed.any_given or problem is null;
      end loop;
    end if;
    if followed.notes is not null then
      update twinbell.execution e set note = left(concat_ws(E'\n', e.note, n.note), 4000)
      from jsonb_to_recordset(followed.notes) as n(task bigint, fire bigint, note text)
      where twinbell.same(e.task_id, n.task) and twinbell.same(e.fire_time, twinbell.instant(n.fire));
    end if;
    if followed.any_given then
      perform pg_notify('twinbell_ledger', '');
    end if;
  exception
    when query_canceled or lock_not_available or transaction_rollback or deadlock_detected or serialization_failure then
      raise;
    when others then
      -- Alone, an outcome is recorded whatever its followers come to. Whoever records several tries each by itself.
      if (select count(*) from after_it) > 1 then
        raise;
      end if;
      problem := sqlerrm;
      update twinbell.execution e set note = left(concat_ws(E'\n', e.note, 'its followers got no slots: ' || problem), 4000)
      from after_it n where twinbell.same(e.task_id, n.task_id) and twinbell.same(e.fire_time, n.fire_time);
  end;
  return null;
end $$;
