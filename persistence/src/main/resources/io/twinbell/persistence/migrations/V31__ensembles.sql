-- Both nodes of a pair elect the master in the same folder of the same ZooKeeper. Two that do not would take the role from
-- each other for as long as they run, since each is first in its own election.
alter table twinbell.member
  -- The folder that this node takes part in, as ZooKeeper numbers its creation; null while it waits because another node
  -- takes part in another.
  add column ensemble text,
  -- zookeeper.connect, for messages.
  add column zookeeper text;
