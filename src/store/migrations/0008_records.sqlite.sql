-- breaking: a binary that does not know the columns would let a task be resolved past its approval and its QA
-- Where a task is in the seven phases and with QA; empty where it goes through neither.
alter table task add column protocol_phase text not null default '';
alter table task add column qa text not null default '';
alter table team add column protocol text not null default 'none';
alter table team add column has_qa integer not null default 0;

-- What a team writes down besides: approvals, escalations, what it learned. The data is JSON; the kind says of what shape.
create table record (
  seq integer primary key,
  team_id integer not null,
  kind text not null,
  number integer not null,
  task_id text,
  attempt integer,
  status text not null,
  data text not null,
  author text not null,
  created_at integer not null,
  updated_at integer not null,
  unique (team_id, kind, number)
) strict;
create index record_by_status on record (team_id, kind, status);
create index record_by_task on record (team_id, task_id, kind);
