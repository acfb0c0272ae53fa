-- Retries: an execution that waits for its next attempt, and what became of the attempts before.

alter table twinbell.execution
  -- A PENDING or RETRYING row is not claimed before this; null for its fire time.
  add column due_at timestamptz,
  -- The attempts before the latest, oldest first, which the row's own columns describe.
  add column attempts jsonb;

-- What waits to be claimed, soonest first.
drop index twinbell.execution_pending;
create index execution_waiting on twinbell.execution ((coalesce(due_at, fire_time)), task_id)
  where state in ('PENDING', 'RETRYING');
create index execution_waiting_of_task on twinbell.execution (task_id, fire_time) where state in ('PENDING', 'RETRYING');

-- Adds one attempt to those before. The newest 50 are kept, each with the beginning of its error.
create function twinbell.with_attempt(attempts jsonb, attempt integer, state text, node text, epoch bigint,
                                      started_at timestamptz, ended_at timestamptz, error text, reason text) returns jsonb
  language sql immutable parallel safe
  as $$
    select (case when jsonb_array_length(coalesce(attempts, '[]')) >= 50 then attempts - 0 else coalesce(attempts, '[]') end)
      || jsonb_strip_nulls(jsonb_build_object('attempt', attempt, 'state', state, 'node', node, 'epoch', epoch,
           'startedAt', twinbell.millis(started_at), 'endedAt', twinbell.millis(ended_at),
           'error', left(error, 1000), 'reason', reason))
  $$;


-- Cancelling, rerunning and queueing.

alter table twinbell.execution
  -- It is claimed only when no other execution of its task is unfinished.
  add column in_turn boolean not null default false,
  -- Its overlap policy made it wait; while its task is paused it goes on waiting.
  add column queued boolean not null default false;

-- Only the master writes outcomes, so whoever wants an execution cancelled leaves the wish here.
create table twinbell.cancel_request (
  task_id      bigint not null,
  fire_time    timestamptz not null,
  reason       text not null,
  requested_at timestamptz not null default clock_timestamp(),
  primary key (task_id, fire_time)
);


-- How many executions of a task have failed in a row, for tasks that are to be paused then. Apart from the task's own rows,
-- which an application may hold: recording waits for nobody.
create table twinbell.failure_streak (
  task_id  bigint primary key,
  failures integer not null,
  pause_at integer not null
);
