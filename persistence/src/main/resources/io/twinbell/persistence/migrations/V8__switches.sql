-- Who paused, and until when: a pause that has an end needs nobody who remembers to end it.

alter table twinbell.firing_pause add column paused_until timestamptz;

alter table twinbell.task_state
  add column paused_by    text check (length(paused_by) <= 200),
  add column paused_until timestamptz;
create index task_state_paused_until on twinbell.task_state (paused_until)
  where state = 'PAUSED' and paused_until is not null;
