-- How nodes of this database recognise each other in ZooKeeper, where every client may write.

-- Each node seals its ZooKeeper entry with this key. It is as secret as the database itself.
alter table twinbell.cluster add column entry_key text not null
  default gen_random_uuid()::text || gen_random_uuid()::text;

-- The process that last joined under each node id, of a build that seals its entry. A node of an earlier build has no row
-- of its incarnation here, but sessions.
create table twinbell.member (
  node        text primary key,
  incarnation uuid not null,
  joined_at   timestamptz not null default clock_timestamp()
);
