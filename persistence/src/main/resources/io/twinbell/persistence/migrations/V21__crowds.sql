-- Claims of many one-shots at once: one row here in place of a row of the ledger each, which is only written when the run
-- has ended, and then once. What is in an array and not in the ledger is claimed, under the row's epoch and since its time.
-- Whoever has to see claims as rows of the ledger spreads them first; from then on they are claims like any other.
create table twinbell.claim_batch (
  epoch      bigint not null,
  batch      bigint not null,
  node       text not null,
  claimed_at timestamptz not null,
  task_ids   bigint[] not null,
  -- In milliseconds since 1970 UTC.
  fire_times bigint[] not null,
  primary key (epoch, batch)
);
-- Numbers that differ in their last digits do not compress.
alter table twinbell.claim_batch alter task_ids set storage external, alter fire_times set storage external;

-- What is claimed in batches and has no row yet, for whoever only looks.
create view twinbell.batch_claim as
  select u.task_id, twinbell.instant(u.fire) as fire_time, b.epoch, b.node, b.batch, b.claimed_at
  from twinbell.claim_batch b cross join lateral unnest(b.task_ids, b.fire_times) as u(task_id, fire)
  where not exists (select 1 from twinbell.execution e
                    where twinbell.same(e.task_id, u.task_id) and twinbell.same(e.fire_time, twinbell.instant(u.fire)));

-- Whether the slot of the task at that instant is claimed in a batch, or was and the batch is still there.
create function twinbell.is_in_batch(task bigint, at timestamptz) returns boolean
  language sql stable
as $$
  select exists (select 1 from twinbell.claim_batch b
    where task = any(b.task_ids) and b.fire_times[array_position(b.task_ids, task)] = twinbell.millis(at))
$$;

-- Whoever records an outcome holds the batch's row, so each slot is entered by one of the two; the insert is a statement of
-- its own and sees what was recorded while the row was waited for. Anybody may call this: it changes how a claim is kept,
-- and not whose it is. But whoever records waits for it, so it is for short transactions of the nodes alone.
create function twinbell.spread_batches(of_epoch bigint default null, numbers bigint[] default null,
                                        of_tasks bigint[] default null, most integer default null)
  returns integer
  language plpgsql
  -- However small the tables are when this is planned.
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
declare
  b record;
  spread integer := 0;
begin
  for b in
    select * from twinbell.claim_batch c
    where (of_epoch is null or c.epoch = of_epoch) and (numbers is null or c.batch = any(numbers))
      and (of_tasks is null or c.task_ids && of_tasks)
    order by c.epoch, c.batch limit most for update
  loop
    insert into twinbell.execution (task_id, fire_time, app, name, state, epoch, node, batch, claimed_at)
    select u.task_id, twinbell.instant(u.fire), coalesce(t.app, r.app, ''), coalesce(t.name, r.name, ''), 'CLAIMED',
           b.epoch, b.node, b.batch, b.claimed_at
    from unnest(b.task_ids, b.fire_times) as u(task_id, fire)
      left join twinbell.task t on t.id = any(array[u.task_id])
      left join twinbell.removed_task r on r.task_id = any(array[u.task_id])
    on conflict do nothing;
    delete from twinbell.claim_batch where epoch = b.epoch and batch = b.batch;
    spread := spread + 1;
  end loop;
  return spread;
end $$;

-- A build that does not know of batches may take over from one that does, while a pair is upgraded. It settles what it finds
-- in the ledger, so what a dead master has left is put there; by a heartbeat, and not by the promotion, which has no time
-- for it. Nodes that know of batches have seen to it long before.
create function twinbell.spread_what_others_claimed() returns trigger
  language plpgsql
as $$
begin
  perform twinbell.spread_batches(of_epoch => left_behind.epoch, most => 5)
  from (select distinct epoch from twinbell.claim_batch
        where epoch <> new.epoch and claimed_at < clock_timestamp() - interval '10 seconds') as left_behind;
  return null;
end $$;
create trigger heartbeat_spreads after update on twinbell.heartbeat
  for each row when (new.epoch = old.epoch) execute function twinbell.spread_what_others_claimed();

-- Gives the task a slot at the first free millisecond, which is none that is claimed without a row. Returns why it could
-- not, or null.
create or replace function twinbell.chain(child_app text, child_name text, from_time timestamptz, because text, parent jsonb)
  returns text
  language plpgsql
as $$
declare
  child record;
  at timestamptz := date_trunc('milliseconds', from_time);
begin
  -- Without a lock: recording waits for nobody. A slot of a task that goes just now is cancelled when it is claimed.
  select t.id, t.definition, s.state, s.state_reason, s.next_fire_time into child
  from twinbell.task t join twinbell.task_state s on s.task_id = t.id
  where t.app = child_app and t.name = child_name;
  if not found then
    return 'there is no such task';
  elsif (parent ->> 'depth')::int > 100 then
    return 'the chain ends here, 100 executions after its first';
  end if;
  loop
    if not twinbell.may_be_planned(child.definition, child.next_fire_time, at)
        and not twinbell.is_in_batch(child.id, at) then
      insert into twinbell.execution (task_id, fire_time, app, name, origin, state, ended_at, reason, parent)
      values (child.id, at, child_app, child_name, 'CHAINED', case when child.state = 'PAUSED' then 'SKIPPED' else 'PENDING' end,
              case when child.state = 'PAUSED' then clock_timestamp() end,
              case when child.state = 'PAUSED' then because || ', but paused' || coalesce(': ' || child.state_reason, '')
              else because end, parent)
      on conflict do nothing;
      if found then
        return null;
      end if;
    end if;
    at := at + interval '1 millisecond';
  end loop;
end $$;
