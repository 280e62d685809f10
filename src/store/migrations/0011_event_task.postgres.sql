-- The task of an event, found without a look at all of them. It follows from the data, so that programs which do not know
-- the column yet, and write to the same store, fill it too. Events are read in the order of xid and seq.
alter table event add column task text generated always as ((data::json) ->> 'task') stored;
create index event_by_task on event (team_id, task, xid, seq) where task is not null;
