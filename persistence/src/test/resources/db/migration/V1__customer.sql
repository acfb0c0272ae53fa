create table customer (id bigint);
