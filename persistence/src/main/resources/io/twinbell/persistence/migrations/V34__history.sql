-- Which state of its history the database is in. The master sets the mark to the time with each heartbeat, and the nodes keep
-- the newest one in memory and in ZooKeeper: a server with a lower mark is an older copy. A sequence, because its value is
-- written to the log at once and can be read by name before the schema is known.
create sequence twinbell.history_mark minvalue 0 start 0;

-- A restored database does not know what ran after its backup. Whoever adopts it may have the slots of that time entered as
-- MISSED, by a pause that lies in the past.
alter table twinbell.firing_pause add column is_restore boolean not null default false;

-- What a promoted server lacked, and the master entered again from memory.
create table twinbell.lost_history (
  id       bigint generated always as identity primary key,
  found_at timestamptz not null default clock_timestamp(),
  epoch    bigint not null,
  node     text not null,
  slots    integer not null,
  -- Their idempotency keys, 10,000 at most.
  named    text[] not null
);

alter table twinbell.member
  -- Where the node's API is, to tell a rebuilt ensemble from a copy of the database; null if an earlier build joined.
  add column address text;
