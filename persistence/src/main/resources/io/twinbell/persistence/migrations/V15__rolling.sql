-- A pair is upgraded one node after the other, so for a while an older build runs on the schema of a newer one. Migrations
-- therefore only add. One that an older build can't stand raises this to its own version: the oldest build that may run
-- here is one that knows at least the migration of this number. Nodes look at it when they join and every three seconds.
alter table twinbell.cluster add column oldest_build integer not null default 15;
