-- Results of drills of this pair, so that both nodes show when a failover was last tried and how it ended.
create table twinbell.drill_result (
  id         bigint generated always as identity primary key,
  drill      text not null check (length(drill) between 1 and 64),
  passed     boolean not null,
  -- The master before the drill, and the one after it; null if the role did not move.
  master     text check (length(master) <= 200),
  successor  text check (length(successor) <= 200),
  epoch      bigint,
  -- The longest time without a fire.
  gap_millis bigint check (gap_millis >= 0),
  summary    text not null check (length(summary) <= 4000),
  entered_by text not null check (length(entered_by) <= 200),
  entered_at timestamptz not null default clock_timestamp() check (isfinite(entered_at))
);
