-- CAUGHT_UP: a slot that passed during a pause and that a resume runs after all. A node that does not know this origin
-- writes BACKFILLED, with a reason that begins with 'caught up: '. Present rows satisfy the wider check.
alter table twinbell.execution drop constraint execution_origin_check;
alter table twinbell.execution add constraint execution_origin_check
  check (origin in ('TRIGGERED', 'CHAINED', 'BACKFILLED', 'CAUGHT_UP')) not valid;

-- How many of the attempts a rerun requested; null for none. The origin says how the execution came into the ledger.
alter table twinbell.execution add column reruns integer;
