create table invoice (id bigint primary key);
