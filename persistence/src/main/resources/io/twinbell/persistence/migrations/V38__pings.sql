-- The latest ping of a task by something outside. An alert may expect one within a time. Without a foreign key: removing
-- a task need not look here, and the master deletes what removed tasks leave behind.
create table twinbell.task_ping (
  task_id bigint primary key,
  at      timestamptz not null
);
