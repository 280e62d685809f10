create table file_exception (
  seq bigint generated always as identity primary key,
  team_id bigint not null,
  task_id text not null,
  attempt integer not null,
  pattern text not null,
  reason text not null,
  asked_by text not null,
  asked_at bigint not null,
  status text not null,
  decided_by text,
  decided_at bigint,
  decision text
);
create index file_exception_task on file_exception (team_id, task_id, seq);
