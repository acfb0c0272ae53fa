-- Tokens of the HTTP API. Only SHA-256 of a token is stored: it has 256 random bits, so the hash can't be reversed.
create table twinbell.access_token (
  name         text primary key check (length(name) between 1 and 100),
  hash         bytea not null unique check (length(hash) = 32),
  -- The token before the latest rotation, which is valid for a while.
  old_hash     bytea unique check (length(old_hash) = 32),
  old_until    timestamptz,
  role         text not null check (role in ('VIEWER', 'OPERATOR', 'EDITOR', 'ADMIN')),
  apps         text[] not null,
  grants       text[] not null check (grants <@ array['SQL', 'SHELL', 'SECRETS']),
  created_at   timestamptz not null default clock_timestamp(),
  expires_at   timestamptz,
  -- Within some minutes; a request does not write.
  last_used_at timestamptz,
  check ((old_hash is null) = (old_until is null))
);
