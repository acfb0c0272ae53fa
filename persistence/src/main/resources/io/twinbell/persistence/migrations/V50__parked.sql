-- Attempts whose outcome comes from outside, by a token. A row is written before the receiver is called. The token's
-- holder writes the answer here, and the master applies it to the execution: whoever sets answer first decides.
create table twinbell.parked (
  task_id     bigint not null,
  fire_time   timestamptz not null,
  attempt     integer not null,
  -- SHA-256 of the token, which has 256 random bits.
  token_hash  bytea not null check (length(token_hash) = 32),
  parked_at   timestamptz not null default clock_timestamp(),
  expires_at  timestamptz not null,
  -- A heartbeat puts the expiry off to this long after itself.
  timeout     interval not null,
  -- Whether the receiver has accepted the work. Before that it is unknown, and the orphan policy applies.
  is_out      boolean not null default false,
  answer      text check (answer in ('SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED', 'RETRYING')),
  answered_at timestamptz,
  output      text,
  error       text,
  error_code  text,
  -- When the attempt was found to be over. The row stays for a week, so that a late answer can be noted.
  over_at     timestamptz,
  primary key (task_id, fire_time, attempt),
  check ((answer is null) = (answered_at is null))
);
create index parked_open on twinbell.parked (expires_at) where over_at is null and answer is null;
create index parked_answered on twinbell.parked (answered_at) where over_at is null and answer is not null;
create index parked_over on twinbell.parked (over_at) where over_at is not null;
