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
