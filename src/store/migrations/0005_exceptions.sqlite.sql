create table file_exception (
  seq integer primary key,
  team_id integer not null,
  task_id text not null,
  attempt integer not null,
  pattern text not null,
  reason text not null,
  asked_by text not null,
  asked_at integer not null,
  status text not null,
  decided_by text,
  decided_at integer,
  decision text
) strict;
create index file_exception_task on file_exception (team_id, task_id, seq);
