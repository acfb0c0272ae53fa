-- Which state of its history the database is in. The master sets the mark to the time with each heartbeat, and the nodes keep
-- the newest one in memory and in ZooKeeper: a server with a lower mark is an older copy. A sequence, because its value is
-- written to the log at once and can be read by name before the schema is known.
create sequence twinbell.history_mark minvalue 0 start 0;

alter table twinbell.heartbeat
  -- The timeline of the server that the last heartbeat went to; null if an earlier build wrote it.
  add column timeline bigint,
  -- Whether its commits waited for a synchronous replica then.
  add column is_synchronous boolean;

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

-- The option onDoubt, for slots that may have run on a primary that was lost together with its master.
create or replace function twinbell.task_options() returns table (option text, type text)
  language sql immutable
as $$
  values ('owner', 'string'), ('tags', 'array'), ('enabled', 'boolean'), ('priority', 'number'), ('data', null),
         ('start', 'string'), ('end', 'string'), ('calendars', 'array'), ('maxRuns', 'number'), ('jitter', 'string'), ('timeout', 'string'),
         ('retry', 'object'), ('misfire', 'object'), ('overlap', null), ('orphan', 'string'), ('onDoubt', 'string'),
         ('pauseOnFailure', 'number'), ('concurrencyKey', 'string'), ('then', 'array'), ('thenOnFailure', 'array'),
         ('ifExists', 'string')
$$;

alter function twinbell.refuse_options(jsonb) rename to refuse_earlier_options;

create function twinbell.refuse_options(options jsonb) returns void
  language plpgsql
as $$
begin
  perform twinbell.refuse_earlier_options(options);
  perform twinbell.refuse_choice('option onDoubt', options -> 'onDoubt', '{DROP,RERUN,ASK}');
end $$;
