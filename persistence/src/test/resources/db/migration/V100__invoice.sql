create table invoice (id bigint);
