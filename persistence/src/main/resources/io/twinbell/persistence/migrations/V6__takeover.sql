-- What lets a standby take over from a dead master without waiting for its ZooKeeper session to time out.

-- The number of the master's advisory lock. Advisory locks belong to a database, and every application in it shares one
-- space of 64-bit numbers: a hash of a text with the cluster's random id keeps ours apart from everybody else's.
create function twinbell.master_lock_key() returns bigint
  language sql stable
  as $$ select hashtextextended('twinbell/master/' || cluster_id, 0) from twinbell.cluster $$;

-- The processes that have a session with the master's lock: none or one.
create function twinbell.master_lock_holders() returns setof integer
  language sql volatile
  as $$
    select l.pid from pg_locks l
    where l.locktype = 'advisory' and l.granted and l.objsubid = 1
      and l.database = (select oid from pg_database where datname = current_database())
      and ((l.classid::bigint << 32) | l.objid::bigint) = twinbell.master_lock_key()
  $$;

-- Waits for the lock and returns the instant at which it was had; null if the time was up. An error that a function
-- catches is not logged by the server, which would otherwise get a line for every slice.
create function twinbell.await_master_lock(wait_millis integer) returns bigint
  language plpgsql
as $$
begin
  perform set_config('lock_timeout', wait_millis::text, true);
  perform pg_advisory_lock(twinbell.master_lock_key());
  return twinbell.now_millis();
exception when lock_not_available then
  return null;
end $$;

-- Where the owner of an epoch can be found. A row of its own, because every guarded write takes a share lock on the
-- epoch row. Whoever reads the session's password may end that session, and so move the role.
create table twinbell.whereabouts (
  id           smallint primary key default 1 check (id = 1),
  epoch        bigint not null default 0,
  http         text,
  zk_session   bigint,
  zk_password  text,
  zk_czxid     bigint,
  lock_backend integer,
  recorded_at  timestamptz
) with (fillfactor = 50);
insert into twinbell.whereabouts default values;

-- Each time that a standby set out to end the session of a master that it found dead or lost.
create table twinbell.takeover (
  id      bigint generated always as identity primary key,
  at      timestamptz not null default clock_timestamp(),
  node    text not null,
  epoch   bigint not null,
  verdict text not null check (verdict in ('DEAD', 'LOST'))
);
