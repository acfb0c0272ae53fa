-- What a handler keeps for the next attempt of its execution: JSON, as the handler wrote it.
alter table twinbell.execution add column checkpoint text;
