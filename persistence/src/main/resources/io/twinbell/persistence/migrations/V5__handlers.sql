-- What a handler reports while it runs: how far it is, and lines of its own. Kept when the execution has ended.
alter table twinbell.execution
  add column progress         double precision,
  add column progress_message text,
  add column log              text;
