-- Slots that may have run on a primary that was lost together with its master, as the successor found them. They are few, and the
-- ledger has no index by its reasons.
create table twinbell.slot_in_doubt (
  task_id   bigint not null,
  fire_time timestamptz not null,
  -- How many slots the ledger's row stands for.
  slots     bigint not null,
  -- That of the successor.
  epoch     bigint not null,
  found_at  timestamptz not null default clock_timestamp(),
  primary key (task_id, fire_time)
);
create index slot_in_doubt_found on twinbell.slot_in_doubt (found_at);
create index slot_in_doubt_of_epoch on twinbell.slot_in_doubt (epoch, fire_time, task_id);
create index slot_in_doubt_by_time on twinbell.slot_in_doubt (fire_time);

-- Up to when slots without a row may have run, as the first master after such a loss has found it. It may be gone before all of
-- them are entered, so later masters go by it too.
create table twinbell.doubt_window (
  until_time timestamptz not null,
  -- A task with a greater id was added since.
  last_task  bigint not null,
  -- What waits in the ledger and was changed by this transaction or a later one is known to wait.
  changed    xid8 not null default pg_current_xact_id(),
  found_at   timestamptz not null default clock_timestamp()
);
