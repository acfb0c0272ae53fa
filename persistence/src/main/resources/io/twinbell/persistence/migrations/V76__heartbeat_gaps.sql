-- Spans in which no master sent a heartbeat, so that an explanation can say since when an outage lasted, also an outage that
-- the same master survived. A failover of a killed master takes less time and leaves no row.
create table twinbell.heartbeat_gap (
  until_time   timestamptz primary key check (isfinite(until_time)),
  from_time    timestamptz not null check (isfinite(from_time) and from_time < until_time),
  -- The epochs of the heartbeats before and after.
  before_epoch bigint not null,
  after_epoch  bigint not null
);

-- Heartbeats come every 3 s. With the owner's rights, because a node of an older build may beat before the new table is
-- granted to its role.
create function twinbell.record_heartbeat_gap() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  insert into twinbell.heartbeat_gap (until_time, from_time, before_epoch, after_epoch)
  values (new.beat_at, old.beat_at, old.epoch, new.epoch) on conflict do nothing;
  delete from twinbell.heartbeat_gap
  where until_time <= (select until_time from twinbell.heartbeat_gap order by until_time desc offset 1000 limit 1);
  return null;
end $$;
revoke all on function twinbell.record_heartbeat_gap() from public;
create trigger heartbeat_gap after update on twinbell.heartbeat for each row
  when (isfinite(old.beat_at) and new.beat_at > old.beat_at + interval '10 seconds')
  execute function twinbell.record_heartbeat_gap();
