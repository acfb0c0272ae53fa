-- The ledger: one row for every planned fire, and what became of it. The slot (task_id, fire_time) is the identity of a
-- row. A row that stands for many slots says until when and how many. The ledger outlives its tasks, so no foreign key
-- leads to them. Only the master writes claims and outcomes, in statements that compare its epoch.

create table twinbell.execution (
  task_id          bigint not null,
  fire_time        timestamptz not null,
  -- The last slot that the row stands for; null for a row of one slot.
  until_fire_time  timestamptz,
  slots            bigint not null default 1,
  -- The names of the task when the row was written.
  app              text not null,
  name             text not null,
  -- How the row came into the ledger; null if the schedule planned the slot. A CAUGHT_UP slot passed during a pause,
  -- and the resume runs it after all; a BACKFILLED one was entered by hand.
  origin           text check (origin in ('TRIGGERED', 'CHAINED', 'BACKFILLED', 'CAUGHT_UP')),

  -- PENDING and RETRYING rows wait to be claimed. SKIPPED: not run because of a policy or a pause. MISSED: not claimed
  -- within the misfire threshold. DROPPED: an attempt was lost with its master, and the task allows no other.
  state            text not null check (state in ('PENDING', 'CLAIMED', 'RUNNING', 'RETRYING', 'SUCCEEDED', 'FAILED',
                                                  'TIMED_OUT', 'CANCELLED', 'SKIPPED', 'MISSED', 'DROPPED')),
  -- Why it is in this state, or who requested the run.
  reason           text,
  -- What was found out after the outcome: late outcomes, followers that got no slot.
  note             text,

  -- A PENDING or RETRYING row is not claimed before this; null for its fire time.
  due_at           timestamptz,
  -- It is claimed only while no other execution of its task is unfinished, unless the task allows overlaps.
  in_turn          boolean not null default false,
  -- Its overlap policy made it wait; while its task is paused it continues to wait.
  queued           boolean not null default false,
  -- The limit that the run would exceed: nobody tries to claim the row until there is room.
  held_by          text,

  -- The latest attempt: its number, and the claim. A claim whose answer got lost is found by its batch.
  attempt          integer not null default 1,
  epoch            bigint,
  node             text,
  batch            bigint,
  claimed_at       timestamptz,
  -- The definition that its task had then; null if that is not known any more.
  definition_id    bigint,
  started_at       timestamptz,
  ended_at         timestamptz,
  output           text,
  error            text,
  -- A stable code beside the text of the error, such as HTTP_503 or TIMEOUT.
  error_code       text,

  -- The attempts before the latest one, oldest first.
  attempts         jsonb,
  -- How many of the attempts a rerun requested; null for none.
  reruns           integer,
  -- How many of the attempts asked to run again later, and when the first of them ended. They are no failures.
  snoozes          integer,
  snoozed_since    timestamptz,

  -- What the handler reports while it runs. It stays when the execution has ended.
  progress         double precision,
  progress_message text,
  log              text,
  -- What the handler keeps for the next attempt: JSON, as the handler wrote it.
  checkpoint       text,

  -- Of a follower: the execution that it follows, as its handler finds it in the data, the root of the chain and the
  -- depth. The member lacking names what the authors before it may not use (see V5).
  parent           jsonb,
  -- Data of a run by hand, in place of the task's data.
  data             jsonb,

  -- The transaction that wrote the row last. A transaction's number does not tell when it commits, but no number below
  -- the oldest open transaction can appear any more: a reader up to there misses nothing.
  changed          xid8 not null default pg_current_xact_id(),

  primary key (task_id, fire_time),
  -- An infinite instant has no milliseconds, and would stop the loop that reads the row.
  constraint execution_finite_check check (isfinite(fire_time) and isfinite(claimed_at) and isfinite(started_at)
    and isfinite(ended_at) and isfinite(until_fire_time) and isfinite(due_at) and isfinite(snoozed_since))
) partition by range (fire_time);

-- Rows whose day has no partition.
create table twinbell.execution_default partition of twinbell.execution default;

create index execution_by_time on twinbell.execution (fire_time, task_id);
create index execution_changed on twinbell.execution (changed);

-- What waits to be claimed, soonest first; of each app, so that apps take turns if more rows wait than can be claimed;
-- of a task; for room in a limit.
create index execution_waiting on twinbell.execution ((coalesce(due_at, fire_time)), task_id)
  where state in ('PENDING', 'RETRYING') and held_by is null;
create index execution_waiting_of_app on twinbell.execution (app, (coalesce(due_at, fire_time)), task_id)
  where state in ('PENDING', 'RETRYING') and held_by is null;
create index execution_waiting_of_task on twinbell.execution (task_id, fire_time)
  where state in ('PENDING', 'RETRYING');
create index execution_held on twinbell.execution (held_by, fire_time) where held_by is not null;

create index execution_unfinished on twinbell.execution (task_id, fire_time)
  where state in ('CLAIMED', 'RUNNING', 'RETRYING');

-- For lists by state: what went wrong is read without what went well. A task may skip most of its slots, so lists
-- without SKIPPED have an index of their own.
create index execution_trouble on twinbell.execution (fire_time, task_id)
  where state in ('FAILED', 'TIMED_OUT', 'CANCELLED', 'MISSED', 'DROPPED');
create index execution_unsuccessful on twinbell.execution (fire_time, task_id)
  where state in ('FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED', 'MISSED', 'DROPPED');
create index execution_error_code on twinbell.execution (error_code, fire_time, task_id) where error_code is not null;

-- Plans hardly depend on what these columns contain, but their statistics would be most of the work of an analyze.
alter table twinbell.execution
  alter column output set statistics 0,
  alter column error set statistics 0,
  alter column attempts set statistics 0,
  alter column progress_message set statistics 0,
  alter column log set statistics 0,
  alter column checkpoint set statistics 0,
  alter column parent set statistics 0,
  alter column data set statistics 0;

-- Marks the row as changed by this transaction, so that readers of changes find it, whoever writes it. Statements that
-- write thousands of rows set the column themselves, which costs less than the trigger.
create function twinbell.mark_changed() returns trigger
  language plpgsql
as $$
begin
  new.changed := pg_current_xact_id();
  return new;
end $$;
create trigger execution_changed before update on twinbell.execution
  for each row when (new.changed = old.changed) execute function twinbell.mark_changed();


-- One partition for each UTC day of fire time. A day is created ahead, and taken out and dropped after the retention of
-- the ledger, which the table forgotten remembers.

-- Creates the partition of a UTC day. Rows of that day in the default partition move to it. Only the owner may call it:
-- ensure_partitions does it for the nodes.
create function twinbell.ensure_partition(day date) returns boolean
  language plpgsql
as $$
declare
  partition text := 'execution_' || to_char(day, 'YYYYMMDD');
  from_time timestamptz := day::timestamp at time zone 'UTC';
  until_time timestamptz := (day + 1)::timestamp at time zone 'UTC';
  settings text;
begin
  if to_regclass('twinbell.' || partition) is not null then
    return false;
  end if;
  execute format('create table twinbell.%I (like twinbell.execution including defaults including constraints)', partition);
  select string_agg(format('alter column %I set statistics 0', attname), ', ') into settings
  from pg_attribute
  where attrelid = 'twinbell.execution'::regclass and attnum > 0 and not attisdropped and attstattarget = 0;
  if settings is not null then
    execute format('alter table twinbell.%I %s', partition, settings);
  end if;
  execute format(
    'with moved as (delete from twinbell.execution_default where fire_time >= %L and fire_time < %L returning *)
     insert into twinbell.%I select * from moved', from_time, until_time, partition);
  execute format('alter table twinbell.execution attach partition twinbell.%I for values from (%L) to (%L)',
    partition, from_time, until_time);
  return true;
end $$;

-- Yesterday to a week ahead: called at the end of this file, and by the master's upkeep. Returns how many are new.
create function twinbell.ensure_partitions() returns integer
  language sql security definer
as $$
  select count(*)::int
  from generate_series(-1, 7) as ahead
  where twinbell.ensure_partition(((clock_timestamp() at time zone 'UTC')::date + ahead)::date)
$$;

-- Takes a past day out of the ledger, for the master's upkeep. Returns false if the day contains executions without an
-- outcome.
create function twinbell.detach_ledger_day(day date) returns boolean
  language plpgsql security definer
as $$
declare
  partition constant text := 'execution_' || to_char(day, 'YYYYMMDD');
  is_unfinished boolean;
begin
  if day >= (clock_timestamp() at time zone 'UTC')::date then
    perform twinbell.refuse(format('%s is not over, so the ledger keeps it', day));
  end if;
  execute format(
    'select exists (select from twinbell.%I e where e.state in (''PENDING'', ''CLAIMED'', ''RUNNING'', ''RETRYING'')
       or exists (select from twinbell.claim_batch b where b.epoch = e.epoch and b.batch = e.batch))', partition)
    into is_unfinished;
  if is_unfinished then
    return false;
  end if;
  execute format('alter table twinbell.execution detach partition twinbell.%I', partition);
  return true;
end $$;

-- Drops a day that was taken out of the ledger, for the master's upkeep.
create function twinbell.drop_ledger_day(day date) returns void
  language plpgsql security definer
as $$
declare
  partition constant text := 'execution_' || to_char(day, 'YYYYMMDD');
begin
  if (select c.relispartition from pg_class c where c.oid = to_regclass(format('twinbell.%I', partition))) then
    perform twinbell.refuse(format('the ledger still contains %s', partition));
  end if;
  execute format('drop table if exists twinbell.%I', partition);
end $$;


-- Claims in batches. Of many one-shots that are due at once, the claims are one row here, in place of a ledger row for
-- each: a slot's row is only written with its outcome, and then once. What is in the lists and not in the ledger is
-- claimed, under the row's epoch and since its time. Code that needs such claims as rows of the ledger spreads them
-- first.

create table twinbell.claim_batch (
  epoch      bigint not null,
  batch      bigint not null,
  node       text not null,
  claimed_at timestamptz not null,
  -- The two lists are read as one list of slots. Fire times are milliseconds since 1970 UTC.
  task_ids   bigint[] not null,
  fire_times bigint[] not null,
  primary key (epoch, batch),
  constraint claim_batch_finite_check check (isfinite(claimed_at)),
  -- 7258118399999 is the last millisecond of 2199.
  constraint claim_batch_slots_check check (
    cardinality(task_ids) = cardinality(fire_times)
    and array_position(task_ids, null) is null and array_position(fire_times, null) is null
    and 0 <= all (fire_times) and 7258118399999 >= all (fire_times))
);
-- Numbers that differ in their last digits do not compress.
alter table twinbell.claim_batch
  alter column task_ids set storage external,
  alter column fire_times set storage external;

-- What is claimed in batches and has no row in the ledger yet, for code that only reads.
create view twinbell.batch_claim as
  select u.task_id, twinbell.instant(u.fire) as fire_time, b.epoch, b.node, b.batch, b.claimed_at
  from twinbell.claim_batch b cross join lateral unnest(b.task_ids, b.fire_times) as u(task_id, fire)
  where not exists (select 1 from twinbell.execution e
                    where twinbell.same(e.task_id, u.task_id) and twinbell.same(e.fire_time, twinbell.instant(u.fire)));

-- Whether the slot of the task at that instant was claimed in a batch that still exists. Callers that enter or settle
-- slots ask this beside the ledger.
create function twinbell.is_in_batch(task bigint, at timestamptz) returns boolean
  language sql stable
as $$
  select exists (select 1 from twinbell.claim_batch b
    where task = any(b.task_ids) and b.fire_times[array_position(b.task_ids, task)] = twinbell.millis(at))
$$;

-- Turns batches into ledger rows: those of an epoch, with these numbers or with these tasks, at most so many; null
-- means any. Returns how many. Code that records an outcome locks the batch's row, so each slot is entered once. Every
-- role may call this, since it changes how a claim is kept and not whose it is. Recorders wait for it, so keep the
-- transaction short.
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
    insert into twinbell.execution (task_id, fire_time, app, name, state, epoch, node, batch, claimed_at, definition_id)
    select u.task_id, twinbell.instant(u.fire), coalesce(t.app, r.app, ''), coalesce(t.name, r.name, ''), 'CLAIMED',
           b.epoch, b.node, b.batch, b.claimed_at, case when t.updated_at < b.claimed_at then t.definition_id end
    from unnest(b.task_ids, b.fire_times) as u(task_id, fire)
      left join twinbell.task t on t.id = any(array[u.task_id])
      left join twinbell.removed_task r on r.task_id = any(array[u.task_id])
    on conflict do nothing;
    delete from twinbell.claim_batch where epoch = b.epoch and batch = b.batch;
    spread := spread + 1;
  end loop;
  return spread;
end $$;


-- Requests to the master. Only the master writes outcomes and settles, so everybody else leaves a request here. The
-- master takes these rows out as it fulfils them.

-- Executions to cancel.
create table twinbell.cancel_request (
  task_id      bigint not null,
  fire_time    timestamptz not null,
  reason       text not null,
  requested_at timestamptz not null default clock_timestamp(),
  primary key (task_id, fire_time),
  constraint cancel_request_finite_check check (isfinite(fire_time) and isfinite(requested_at))
);

-- Stuck executions to let go of: claimed, and without an outcome.
create table twinbell.release_request (
  task_id      bigint not null,
  fire_time    timestamptz not null,
  reason       text not null,
  requested_at timestamptz not null default clock_timestamp(),
  primary key (task_id, fire_time),
  constraint release_request_finite_check check (isfinite(fire_time) and isfinite(requested_at))
);

-- Slots that an edit, a pause or a removal passed over before they were claimed. The master enters them in the ledger,
-- in this state.
create table twinbell.passed_slots (
  id               bigint generated always as identity primary key,
  task_id          bigint not null,
  app              text not null,
  name             text not null,
  fire_time        timestamptz not null,
  -- If the first slot has a row already, the others are entered from the second one on.
  second_fire_time timestamptz(3),
  until_fire_time  timestamptz not null,
  slots            bigint not null check (slots > 0),
  state            text not null check (state in ('SKIPPED', 'MISSED')),
  reason           text not null,
  constraint passed_slots_finite_check check (isfinite(fire_time) and isfinite(until_fire_time)
    and isfinite(second_fire_time))
);


-- Outcomes.

-- Attempts whose outcome comes from outside, by a callback with a token. A row is written before the receiver is
-- called. The holder of the token writes the answer here, and the master applies it to the execution: the first answer
-- decides.
create table twinbell.parked (
  task_id     bigint not null,
  fire_time   timestamptz not null,
  attempt     integer not null,
  -- SHA-256 of the token, which has 256 random bits.
  token_hash  bytea not null check (length(token_hash) = 32),
  parked_at   timestamptz not null default clock_timestamp(),
  expires_at  timestamptz not null,
  -- A heartbeat of the receiver puts the expiry off to this long after itself.
  timeout     interval not null,
  -- Whether the receiver has accepted the work. Before that it is unknown, and the orphan policy applies.
  is_out      boolean not null default false,
  answer      text check (answer in ('SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED', 'RETRYING')),
  answered_at timestamptz,
  output      text,
  error       text,
  error_code  text,
  -- When the attempt was found to be over. The row stays for a week, so that a late answer can be noted.
  over_at     timestamptz,
  primary key (task_id, fire_time, attempt),
  check ((answer is null) = (answered_at is null)),
  constraint parked_finite_check check (isfinite(fire_time) and isfinite(parked_at) and isfinite(expires_at)
    and isfinite(answered_at) and isfinite(over_at))
);
create index parked_open on twinbell.parked (expires_at) where over_at is null and answer is null;
create index parked_answered on twinbell.parked (answered_at) where over_at is null and answer is not null;
create index parked_over on twinbell.parked (over_at) where over_at is not null;

-- How many executions of a task have failed in a row, for tasks that are to be paused then. It is apart from the task's
-- own rows, which an application may lock: recording waits for nobody.
create table twinbell.failure_streak (
  task_id  bigint primary key,
  failures integer not null,
  -- The number of failures at which the master pauses the task.
  pause_at integer not null
);

-- Slots that may have run on a primary that was lost together with its master, as the successor found them. They are
-- few, and the ledger has no index by its reasons.
create table twinbell.slot_in_doubt (
  task_id   bigint not null,
  fire_time timestamptz not null,
  -- How many slots the ledger's row stands for.
  slots     bigint not null,
  -- The epoch of the successor.
  epoch     bigint not null,
  found_at  timestamptz not null default clock_timestamp(),
  primary key (task_id, fire_time),
  constraint slot_in_doubt_finite_check check (isfinite(fire_time) and isfinite(found_at))
);
create index slot_in_doubt_found on twinbell.slot_in_doubt (found_at);
create index slot_in_doubt_of_epoch on twinbell.slot_in_doubt (epoch, fire_time, task_id);
create index slot_in_doubt_by_time on twinbell.slot_in_doubt (fire_time);

-- What each master did, minute by minute, so that both nodes show the load of the last days, also across failovers.
create table twinbell.activity_minute (
  minute              timestamptz not null check (isfinite(minute)),
  epoch               bigint not null,
  node                text not null check (length(node) <= 200),
  claimed             bigint not null check (claimed >= 0),
  succeeded           bigint not null check (succeeded >= 0),
  failed              bigint not null check (failed >= 0),
  cancelled           bigint not null check (cancelled >= 0),
  -- Slots that ended without a run.
  not_run             bigint not null check (not_run >= 0),
  -- Of the runs that ended in this minute; null if there were none.
  lateness_p50_millis double precision check (lateness_p50_millis >= 0),
  lateness_p99_millis double precision check (lateness_p99_millis >= 0),
  primary key (minute, epoch)
);

-- Adds an attempt to those before it, when the row goes on to the next one: for the recorder, the settlement of orphans
-- and reruns. The newest 50 are kept, each with the beginning of its error.
create function twinbell.with_attempt(attempts jsonb, attempt integer, state text, node text, epoch bigint,
                                      started_at timestamptz, ended_at timestamptz, error text, error_code text,
                                      reason text)
  returns jsonb
  language sql immutable parallel safe
  as $$
    select (case when jsonb_array_length(coalesce(attempts, '[]')) >= 50 then attempts - 0 else coalesce(attempts, '[]') end)
      || jsonb_strip_nulls(jsonb_build_object('attempt', attempt, 'state', state, 'node', node, 'epoch', epoch,
           'startedAt', twinbell.millis(started_at), 'endedAt', twinbell.millis(ended_at),
           'error', left(error, 1000), 'errorCode', error_code, 'reason', reason))
  $$;


-- Chains. When an execution ends, the followers that its task names (then, thenOnFailure) get slots of their own, in
-- the first free milliseconds after the end.

-- How many runs descend from one slot, its own followers not counted: at most 10,000. A row is written from the second
-- link of a chain on.
create table twinbell.chain_runs (
  root_task_id   bigint not null,
  root_fire_time timestamptz not null,
  runs           bigint not null,
  changed_at     timestamptz not null default clock_timestamp(),
  primary key (root_task_id, root_fire_time),
  constraint chain_runs_finite_check check (isfinite(root_fire_time) and isfinite(changed_at))
);

-- The grid on which a definition's own fire times may lie: its start and its interval in milliseconds. Both are null if
-- the definition cannot be read. For free_slots.
create function twinbell.fire_grid(definition jsonb) returns bigint[]
  language plpgsql stable
as $$
begin
  return array[twinbell.millis((definition ->> 'start')::timestamptz),
               (extract(epoch from (definition #>> '{schedule,every}')::interval) * 1000)::bigint];
exception when others then
  return array[null, null]::bigint[];
end $$;

-- Whether an instant may be one of the task's own fire times, which a follower must not take. In doubt it is, since the
-- next millisecond is as good. For free_slots.
create function twinbell.is_on_grid(instant bigint, next_fire bigint, grid bigint[]) returns boolean
  language sql immutable parallel safe
as $$
  select coalesce(instant = next_fire, false) or instant % 10 = 0 or coalesce((instant - grid[1]) % 10 = 0, false)
    or case when grid[2] >= 10 then coalesce((instant - grid[1]) % grid[2] = 0, false) else false end
$$;

-- Free milliseconds for slots of a task, from an instant on, in order: for chains and for runs by hand. The slots that
-- chains gave before lie side by side, so the step doubles until a free millisecond is met, and is halved from there.
-- Some twenty looks into the index find the place, once for all slots that are wanted.
create function twinbell.free_slots(of_task bigint, from_millis bigint, wanted integer) returns setof bigint
  language plpgsql volatile rows 100
as $$
declare
  next_fire bigint;
  grid bigint[];
  batched bigint[];
  low bigint := from_millis - 1;
  high bigint;
  middle bigint;
  step bigint;
  until bigint;
  found_at bigint;
  remaining integer := wanted;
begin
  select twinbell.millis(s.next_fire_time), twinbell.fire_grid((twinbell.full_task_of(t)).definition) into next_fire, grid
  from twinbell.task t join twinbell.task_state s on s.task_id = any(array[t.id]) where t.id = any(array[of_task]);
  -- Claimed in batches, without rows.
  batched := array(select b.fire_times[array_position(b.task_ids, of_task)] from twinbell.claim_batch b
                   where of_task = any(b.task_ids));
  while remaining > 0 loop
    step := 1;
    high := low + 1;
    loop
      while twinbell.is_on_grid(high, next_fire, grid) loop
        high := high + 1;
      end loop;
      exit when not (high = any(batched) or exists (
        select 1 from twinbell.execution e
        where twinbell.same(e.task_id, of_task) and twinbell.same(e.fire_time, twinbell.instant(high))));
      low := high;
      step := step * 2;
      high := low + step;
    end loop;
    while high - low > 1 loop
      middle := low + (high - low) / 2;
      while middle < high and twinbell.is_on_grid(middle, next_fire, grid) loop
        middle := middle + 1;
      end loop;
      -- Nothing but the task's own fire times lies between.
      exit when middle = high;
      if middle = any(batched) or exists (
          select 1 from twinbell.execution e
          where twinbell.same(e.task_id, of_task) and twinbell.same(e.fire_time, twinbell.instant(middle))) then
        low := middle;
      else
        high := middle;
      end if;
    end loop;
    -- A fifth is left free for the task's own fire times, and some may be taken.
    until := high + remaining + remaining / 2 + 10;
    for found_at in
      select g from generate_series(high, until) g
      where not twinbell.is_on_grid(g, next_fire, grid) and not (g = any(batched))
      except
      select twinbell.millis(e.fire_time) from twinbell.execution e
      where e.task_id = of_task and e.fire_time >= twinbell.instant(high) and e.fire_time <= twinbell.instant(until)
      order by 1 limit remaining
    loop
      remaining := remaining - 1;
      return next found_at;
    end loop;
    low := until;
  end loop;
end $$;

-- Gives a follower one slot, at the first free millisecond. Returns why it could not, or null. A paused follower gets a
-- SKIPPED row. For follow_chains, if another transaction took the millisecond.
create function twinbell.chain(child_app text, child_name text, from_time timestamptz, because text, parent jsonb)
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
  from twinbell.task t join twinbell.task_state s on s.task_id = t.id join twinbell.definition d on d.id = t.definition_id
    cross join lateral (select twinbell.standing_pause_of(t.app, d) as reason) w
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

-- Runs in the statement that records outcomes, so that a chain continues exactly once, whoever records. All followers
-- of all outcomes of the statement are entered together.
create function twinbell.follow_chains() returns trigger
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
             k.link, case jsonb_typeof(d.content -> k.link) when 'array' then d.content -> k.link else '[]' end
               as followers
      from after_it n join before_it o using (task_id, fire_time)
        join twinbell.task t on t.id = any(array[n.task_id])
        join twinbell.definition d on d.id = any(array[t.definition_id])
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
                           then twinbell.standing_pause_of(t.app, d) end as paused_for
          from twinbell.task t join twinbell.task_state s on s.task_id = any(array[t.id])
            join twinbell.definition d on d.id = any(array[t.definition_id])
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
create trigger chains after update on twinbell.execution
  referencing old table as before_it new table as after_it
  for each statement execute function twinbell.follow_chains();


select twinbell.ensure_partitions();
