-- A handler may ask to run again later. So many of the attempts did, the first of them at this time: they are no failures.
alter table twinbell.execution add column snoozes integer, add column snoozed_since timestamptz;
