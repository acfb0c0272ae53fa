-- How urgent a task is, beside its next fire time: the heap is read without a look at the definition.
create function twinbell.priority(definition jsonb) returns smallint
  language sql immutable parallel safe
as $$
  select case when jsonb_typeof(definition -> 'priority') = 'number'
         then greatest(0, least(9, round((definition ->> 'priority')::numeric)))::smallint else 5::smallint end
$$;

alter table twinbell.task_state add column priority smallint not null default 5 check (priority between 0 and 9);
drop index twinbell.task_state_due;
create index task_state_due on twinbell.task_state (next_fire_time, task_id) include (priority)
  where state = 'ACTIVE' and next_fire_time is not null;


-- How many runs may share something at once, and how many of them may start in a time. A key is a concurrency key, or
-- app:…, tag:… and handler:… for what tasks are found by.
create table twinbell.run_limit (
  key         text primary key check (length(key) between 1 and 220),
  max_running integer check (max_running > 0),
  rate_max    integer check (rate_max > 0),
  rate_per    interval check (rate_per > interval '0'),
  created_at  timestamptz not null default clock_timestamp(),
  updated_at  timestamptz not null default clock_timestamp(),
  check (max_running is not null or rate_max is not null),
  check ((rate_max is null) = (rate_per is null))
);

-- Every key that a limit on a task may be set under. What fires knows it in code of its own: LimitKey.
create function twinbell.limit_keys(task twinbell.task) returns text[]
  language sql immutable parallel safe
as $$
  select array_remove(array[task.definition ->> 'concurrencyKey', 'app:' || task.app, 'handler:' || task.handler_type,
                            'handler:' || task.handler_key], null)
    || coalesce((select array_agg('tag:' || tag) from unnest(task.tags) as tag), '{}')
$$;

-- A row that waits in the ledger, and would exceed this limit: nobody tries to claim it until there is room.
alter table twinbell.execution add column held_by text;
create index execution_held on twinbell.execution (held_by, fire_time) where held_by is not null;
drop index twinbell.execution_waiting;
create index execution_waiting on twinbell.execution ((coalesce(due_at, fire_time)), task_id)
  where state in ('PENDING', 'RETRYING') and held_by is null;
