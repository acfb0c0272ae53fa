create table if not exists after_migrate (id bigint);
