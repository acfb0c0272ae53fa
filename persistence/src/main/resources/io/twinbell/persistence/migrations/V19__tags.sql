-- Most tasks have no tags, and an entry that says so cost each insert a tenth of its time. Whoever asks for a tag says that
-- there are some, so that the index is found to serve. It is made before the other one is dropped: until then only writers
-- of tasks wait, and no claim does.
create index task_tags_given on twinbell.task using gin (tags) where tags <> '{}';
drop index twinbell.task_tags;
alter index twinbell.task_tags_given rename to task_tags;
