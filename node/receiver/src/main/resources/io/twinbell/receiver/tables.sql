-- The memory of a receiver, in the database that its effects change. Runs on PostgreSQL and H2.
create table if not exists twinbell_receiver_call (
    source varchar(100) not null,
    call_key varchar(200) not null,
    attempt integer not null,
    epoch bigint not null,
    received_at timestamp with time zone not null,
    status integer,
    content_type varchar(200),
    body bytea,
    primary key (source, call_key));
create index if not exists twinbell_receiver_call_received on twinbell_receiver_call (source, received_at);
create table if not exists twinbell_receiver_epoch (
    source varchar(100) not null primary key,
    epoch bigint not null);
