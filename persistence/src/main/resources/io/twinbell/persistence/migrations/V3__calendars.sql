-- Calendars: when the tasks that respect them may fire. A version is never used twice, also not by a calendar that is
-- removed and made again under its name.
create sequence twinbell.calendar_version;

create table twinbell.calendar (
  name       text primary key check (length(name) between 1 and 200),
  version    bigint not null default nextval('twinbell.calendar_version'),
  content    jsonb not null check (octet_length(content::text) <= 4194304),
  -- What it was read from, if that was not JSON.
  source     text check (octet_length(source) <= 1048576),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);

-- Which calendars a task respects, and with which version of each its next fire time was computed. A row whose version
-- lags is found by whoever changed the calendar, and by both nodes every few seconds; the fire time is computed anew.
create table twinbell.task_calendar (
  task_id  bigint not null references twinbell.task on delete cascade,
  calendar text not null references twinbell.calendar,
  version  bigint not null,
  primary key (task_id, calendar)
);
create index task_calendar_by_version on twinbell.task_calendar (calendar, version, task_id);
