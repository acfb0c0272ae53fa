-- The pair: which cluster and nodes there are, which node is master, and what is known of its failures.
--
-- Times are timestamptz in whole milliseconds. Every "now" is the clock of this database, never that of a node.
-- A table with one row has the column id, which is always 1. Other names of columns that mean the same everywhere:
--   node         the id of a node, from its configuration
--   incarnation  one process of a node
--   epoch        the number of a term of one master
-- Triggers that belong to the alerts and the audit are in V4 and V6.


-- Instants and keys: helpers that all other files use.

-- The instant of milliseconds since 1970. Nodes pass instants as such numbers.
create function twinbell.instant(millis bigint) returns timestamptz
  language sql immutable parallel safe
  as $$ select to_timestamp(millis / 1000.0::float8) $$;

-- The milliseconds of an instant, those that have begun: what is finer is cut off, as the nodes do, so that what they
-- compute from an end is computed from the end that is told. The planner takes this text in place of a call, because
-- nothing in it depends on the session's time zone. A call would be most of the cost of reading the heap.
create function twinbell.millis(instant timestamptz) returns bigint
  language sql immutable parallel safe
  as $$ select (date_part('epoch', date_trunc('milliseconds', instant at time zone 'UTC')) * 1000)::bigint $$;

-- clock_timestamp() and not now(): a transaction that waited must not read the time at which it began.
create function twinbell.now_millis() returns bigint
  language sql volatile
  as $$ select floor(extract(epoch from clock_timestamp()) * 1000)::bigint $$;

-- An instant as the API writes it: 2026-03-29T01:00:00.000Z.
create function twinbell.instant_text(instant timestamptz) returns text
  language sql stable parallel safe
  as $$ select to_char(instant at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

-- The instant that a member of a definition is, if it is one in whole milliseconds from 1970 to 2199, in UTC; null for
-- any other.
create function twinbell.instant_or_null(value jsonb) returns timestamptz
  language sql stable parallel safe
as $$
  select case when value #>> '{}' ~ ('^((19[7-9]\d|2[01]\d\d)-((0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])|(0[13-9]|1[0-2])-(29|30)'
    '|(0[13578]|1[02])-31)|(19(7[26]|8[048]|9[26])|2000|2[01](0[48]|[2468][048]|[13579][26]))-02-29)'
    'T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{3})?Z$') and jsonb_typeof(value) = 'string'
    then (value #>> '{}')::timestamptz end
$$;

-- The instant that a text from an application means; refuses any other. PostgreSQL reads a 24th hour, ISO-8601 does not.
create function twinbell.instant_of(field text, value jsonb) returns timestamptz
  language plpgsql
as $$
declare
  written constant text := value #>> '{}';
  instant timestamptz;
begin
  if jsonb_typeof(value) = 'string' and length(written) <= 40 and written !~* 'T24' and written ~*
    '^\d{4}-\d\d-\d\dT\d\d:[0-5]\d(:[0-5]\d(\.\d{0,9})?)?(Z|[-+]\d\d(:\d\d(:\d\d)?)?)$' then
    begin
      instant := written::timestamptz;
    exception when data_exception then
      instant := null;
    end;
  end if;
  if instant is null then
    perform twinbell.refuse(format('%s is not an instant: %s', field, left(value::text, 100)),
      'write it as 2026-03-29T01:00:00.000Z');
  elsif written ~ '\.\d{3}\d*[1-9]' then
    perform twinbell.refuse(format('%s must be in whole milliseconds, not %s', field, left(value::text, 100)));
  elsif instant < '1970-01-01T00:00:00Z' or instant >= '2200-01-01T00:00:00Z' then
    perform twinbell.refuse(format('%s must lie between 1970 and 2199, not %s', field, left(value::text, 100)));
  end if;
  return instant;
end $$;

-- Whether two columns hold the same part of the key of an execution. The planner takes the text in place of a call.
-- From PostgreSQL 17 on the comparison has a form that the planner can only look up in the index. If vacuum has found a
-- partition empty, a plain comparison lets a walk through the whole index for each row of a batch seem as cheap. Before
-- 17 the planner may leave that form out of the look-up if it is about the second column, so there it is plain.
do $$
declare
  comparison text := case when current_setting('server_version_num')::int >= 170000
                     then 'found = any(array[wanted])' else 'found = wanted' end;
begin
  execute 'create function twinbell.same(found bigint, wanted bigint) returns boolean'
    || ' language sql immutable parallel safe as $f$ select ' || comparison || ' $f$';
  execute 'create function twinbell.same(found timestamptz, wanted timestamptz) returns boolean'
    || ' language sql immutable parallel safe as $f$ select ' || comparison || ' $f$';
end $$;


-- The cluster and its nodes. A node reads these tables when it joins, before it takes part in the election.

-- Who this database belongs to. One row.
create table twinbell.cluster (
  id                smallint primary key default 1 check (id = 1),
  -- The same id is kept in ZooKeeper: a node that finds them different refuses to run.
  cluster_id        uuid not null default gen_random_uuid(),
  -- Set by the first node that joins.
  name              text,
  -- Of the server that the database was last seen on. A copy that was restored on another server has the same
  -- cluster_id, but is recognised by this.
  system_identifier text,
  -- Each node seals its ZooKeeper entry with this key, because every client may write there. As secret as the database.
  entry_key         text not null default gen_random_uuid()::text || gen_random_uuid()::text,
  -- The number of the migration that a build must know to run here. A pair is upgraded one node after the other, so a
  -- build also runs on a newer schema, unless a migration that it cannot stand raises this to its own number. Nodes
  -- look at it when they join and every three seconds.
  oldest_build      integer not null default 1
);
insert into twinbell.cluster default values;

-- The process that last joined under each node id. Both nodes elect the master in the same folder of the same
-- ZooKeeper. Two that do not would take the role from each other for as long as they run, since each is first in its
-- own election.
create table twinbell.member (
  node        text primary key,
  incarnation uuid not null,
  -- Where the node's API is, to tell a rebuilt ensemble from a copy of the database.
  address     text,
  -- zookeeper.connect, for messages.
  zookeeper   text,
  -- The folder that this node takes part in, as ZooKeeper numbers its creation; null while it waits because another
  -- node takes part in another.
  ensemble    text,
  joined_at   timestamptz not null default clock_timestamp(),
  constraint member_finite_check check (isfinite(joined_at))
);

-- What code and settings each node has, as of its join. Tasks that need what a node lacks are reported.
create table twinbell.node_handlers (
  node      text primary key,
  -- The keys of its java handlers; 10,000 at most.
  keys      text[] not null,
  -- Its profiles of http calls.
  profiles  text[] not null default '{}',
  joined_at timestamptz not null default clock_timestamp(),
  constraint node_handlers_finite_check check (isfinite(joined_at))
);


-- The authority: whoever holds the epoch and its owner token may write; everybody else changes nothing.

-- One row. Every guarded write takes a share lock on it, so a promotion waits for writes in flight. What changes often,
-- like the heartbeat, has a row of its own.
create table twinbell.epoch (
  id             smallint primary key default 1 check (id = 1),
  epoch          bigint not null default 0,
  owner_token    uuid,
  node           text,
  incarnation    uuid,
  -- Of the owner's latch node in ZooKeeper: the session, and the id of the transaction that created it. An epoch is at
  -- least that id, so epochs grow even over a restored backup.
  zk_session     bigint,
  zk_czxid       bigint,
  opened_at      timestamptz,
  reason         text,
  -- When the owner handed over. Then it claims nothing more.
  resigned_at    timestamptz,
  -- A master that handed over may still record what it is finishing, until then.
  draining_epoch bigint,
  draining_token uuid,
  draining_until timestamptz,
  -- Masters before it that still drain, as objects with epoch, token and until: there are several where each node is
  -- stopped within the other's drain. In this row, because a write that has waited for the row is judged by what the
  -- row says then.
  earlier_drains jsonb not null default '[]',
  constraint epoch_finite_check check (isfinite(opened_at) and isfinite(resigned_at) and isfinite(draining_until))
) with (fillfactor = 50);
insert into twinbell.epoch default values;

-- Every epoch and the instant from which claims under it are possible, written with the promotion itself: the role
-- history is told later, and not by a node that dies in between. The verification of the ledger compares claims with
-- it.
create table twinbell.epoch_opening (
  epoch     bigint primary key,
  node      text,
  opened_at timestamptz not null,
  constraint epoch_opening_finite_check check (isfinite(opened_at))
);

-- The master's sign of life, every three seconds. One row.
create table twinbell.heartbeat (
  id             smallint primary key default 1 check (id = 1),
  epoch          bigint not null default 0,
  -- -infinity until the pair has had a master.
  beat_at        timestamptz not null default '-infinity',
  -- The timeline of the server that the last heartbeat went to.
  timeline       bigint,
  -- Whether its commits waited for a synchronous replica then.
  is_synchronous boolean
) with (fillfactor = 50);
insert into twinbell.heartbeat default values;

-- Spans in which no master sent a heartbeat, so that an explanation can say since when an outage lasted, also an outage
-- that the same master survived. A failover of a killed master takes less time and leaves no row. The latest 1000 are
-- kept.
create table twinbell.heartbeat_gap (
  until_time   timestamptz primary key check (isfinite(until_time)),
  from_time    timestamptz not null check (isfinite(from_time) and from_time < until_time),
  -- The epochs of the heartbeats before and after.
  before_epoch bigint not null,
  after_epoch  bigint not null
);

-- Whose outcomes are still taken besides the owner's. Guarded statements call it for the row that they have locked.
create function twinbell.drains(e twinbell.epoch) returns table (epoch bigint, token uuid, until timestamptz)
  language sql volatile rows 1
as $$
  select e.draining_epoch, e.draining_token, e.draining_until where e.draining_until > clock_timestamp()
  union all
  select d.epoch, d.token, d.until
  from jsonb_to_recordset(e.earlier_drains) as d(epoch bigint, token uuid, until timestamptz)
  where d.until > clock_timestamp()
$$;

-- Proves that its maker knows the owner token of an epoch, and says for what: nobody can make one for something else. A
-- node makes one for the completion of an sql task in the same way, and complete_sql_task checks it.
create function twinbell.proof(token uuid, message text) returns bytea
  language sql immutable
as $$
  select sha256(uuid_send(token) || sha256(uuid_send(token) || convert_to(message, 'UTF8')))
$$;

-- Trigger: enters the opening of an epoch.
create function twinbell.remember_epoch() returns trigger
  language plpgsql
as $$
begin
  insert into twinbell.epoch_opening (epoch, node, opened_at) values (new.epoch, new.node, new.opened_at)
  on conflict do nothing;
  return null;
end $$;

create trigger epoch_opened after update of epoch on twinbell.epoch
  for each row when (new.epoch <> old.epoch) execute function twinbell.remember_epoch();

-- Trigger: enters a gap between two heartbeats, and forgets the oldest one beyond 1000.
create function twinbell.record_heartbeat_gap() returns trigger
  language plpgsql security definer
as $$
begin
  insert into twinbell.heartbeat_gap (until_time, from_time, before_epoch, after_epoch)
  values (new.beat_at, old.beat_at, old.epoch, new.epoch) on conflict do nothing;
  delete from twinbell.heartbeat_gap
  where until_time <= (select until_time from twinbell.heartbeat_gap order by until_time desc offset 1000 limit 1);
  return null;
end $$;

create trigger heartbeat_gap after update on twinbell.heartbeat for each row
  when (isfinite(old.beat_at) and new.beat_at > old.beat_at + interval '10 seconds')
  execute function twinbell.record_heartbeat_gap();


-- The role of master: what people decide about it, and what became of it.

-- Automatic takeover on hold. One row, so that the opening of an epoch can lock it against a concurrent hold.
create table twinbell.takeover_hold (
  id         smallint primary key default 1 check (id = 1),
  held_by    text check (length(held_by) <= 200),
  reason     text check (length(reason) <= 500),
  -- Null if there is no hold.
  held_at    timestamptz,
  -- Null if the hold lasts until somebody releases it.
  held_until timestamptz,
  constraint takeover_hold_finite_check check (isfinite(held_at) and isfinite(held_until))
) with (fillfactor = 50);
insert into twinbell.takeover_hold default values;

-- Requests to the owner of an epoch that it hand over: of a standby that was elected, or of a person. The next opening
-- of an epoch deletes them.
create table twinbell.hand_over_request (
  id           bigint generated always as identity primary key,
  epoch        bigint not null,
  requested_by text not null,
  reason       text not null,
  -- A person's request also allows the move while takeovers are on hold.
  by_hand      boolean not null default false,
  -- Who should have the role; null if nobody in particular.
  to_node      text check (length(to_node) <= 200),
  requested_at timestamptz not null default clock_timestamp(),
  constraint hand_over_request_finite_check check (isfinite(requested_at))
);

-- The latest request of a person to the owner of the epoch. Not for long, so that one that came to nothing allows
-- nothing later. The register of epochs calls it.
create function twinbell.move_by_hand(of_epoch bigint)
  returns table (to_node text, requested_by text, reason text)
  language sql volatile
  as $$
    select r.to_node, r.requested_by, r.reason from twinbell.hand_over_request r
    where r.epoch = of_epoch and r.by_hand and r.requested_at > clock_timestamp() - interval '30 seconds'
    order by r.id desc limit 1
  $$;

-- Each change of a node's role. A node writes only of itself.
create table twinbell.role_history (
  id          bigint generated always as identity primary key,
  at          timestamptz not null default clock_timestamp(),
  node        text not null,
  incarnation uuid not null,
  epoch       bigint not null,
  from_role   text not null,
  to_role     text not null,
  reason      text not null,
  took_millis bigint not null,
  -- What the change consisted of, as objects with step and micros.
  steps       jsonb not null default '[]',
  constraint role_history_finite_check check (isfinite(at))
);


-- Fast takeover: what lets a standby take over from a dead master without waiting for its ZooKeeper session to time
-- out. The master holds an advisory lock, which the server releases when the process dies.

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

-- Where the owner of an epoch can be found. One row of its own, because every guarded write takes a share lock on the
-- epoch row. Whoever reads the session's password may end that session, and so move the role.
create table twinbell.whereabouts (
  id           smallint primary key default 1 check (id = 1),
  epoch        bigint not null default 0,
  -- The address of the owner's API.
  http         text,
  zk_session   bigint,
  zk_password  text,
  -- The id of the transaction that created the owner's latch node.
  zk_czxid     bigint,
  -- The server process of the session that holds the master's lock.
  lock_backend integer,
  recorded_at  timestamptz,
  constraint whereabouts_finite_check check (isfinite(recorded_at))
) with (fillfactor = 50);
insert into twinbell.whereabouts default values;

-- Each time that a standby set out to end the session of a master that it found dead or lost. After several LOST in a
-- short time, a standby takes over only from a master that is proven dead. Old rows are deleted.
create table twinbell.takeover (
  id      bigint generated always as identity primary key,
  at      timestamptz not null default clock_timestamp(),
  node    text not null,
  -- The epoch of the master.
  epoch   bigint not null,
  verdict text not null check (verdict in ('DEAD', 'LOST')),
  constraint takeover_finite_check check (isfinite(at))
);


-- Firing held for the whole cluster. A window that is still open has no resumed_at.
create table twinbell.firing_pause (
  id           bigint generated always as identity primary key,
  reason       text not null,
  paused_by    text not null,
  paused_at    timestamptz not null default clock_timestamp(),
  -- When firing resumes by itself; null if somebody has to resume it.
  paused_until timestamptz,
  resumed_at   timestamptz,
  -- A pause that lies in the past. A restored database does not know what ran after its backup: whoever adopts it may
  -- have the slots of that time entered as MISSED.
  is_restore   boolean not null default false,
  constraint firing_pause_finite_check check (isfinite(paused_at) and isfinite(resumed_at) and isfinite(paused_until))
);
create unique index firing_pause_open on twinbell.firing_pause ((resumed_at is null)) where resumed_at is null;


-- Lost history: what the database does not know, after a promoted replica, a restored backup or the end of retention.

-- Which state of its history the database is in. The master sets the mark to the time with each heartbeat, and the
-- nodes keep the newest one in memory and in ZooKeeper: a server with a lower mark is an older copy. A sequence,
-- because its value is written to the log at once and can be read by name before the schema is known.
create sequence twinbell.history_mark minvalue 0 start 0;

-- What a promoted server lacked, and the master entered again from memory.
create table twinbell.lost_history (
  id       bigint generated always as identity primary key,
  found_at timestamptz not null default clock_timestamp(),
  epoch    bigint not null,
  node     text not null,
  slots    integer not null,
  -- Their idempotency keys, 10,000 at most.
  named    text[] not null,
  constraint lost_history_finite_check check (isfinite(found_at))
);

-- Up to when slots without a row may have run, as the first master after such a loss has found it. It may be gone
-- before all of them are entered, so later masters go by it too: the latest row counts.
create table twinbell.doubt_window (
  until_time timestamptz not null,
  -- A task with a greater id was added since.
  last_task  bigint not null,
  -- What waits in the ledger and was changed by this transaction or a later one is known to wait.
  changed    xid8 not null default pg_current_xact_id(),
  found_at   timestamptz not null default clock_timestamp(),
  constraint doubt_window_finite_check check (isfinite(until_time) and isfinite(found_at))
);

-- Up to where the ledger may lack rows because they were dropped by the day, or deleted by the outcome.
create table twinbell.forgotten (
  what            text primary key check (what in ('DAYS', 'SUCCEEDED', 'FAILED', 'SKIPPED')),
  until_fire_time timestamptz not null,
  constraint forgotten_finite_check check (isfinite(until_fire_time))
);
