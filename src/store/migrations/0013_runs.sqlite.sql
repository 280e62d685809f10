-- breaking
-- A row of team is one run of a team: run 1, 2 and so on. One of them is the current run. Older programs would take every
-- run for the team. The unique pair of project and name is part of the table, so the table is made anew.
create table team_with_runs (
  -- Never used again, or a cursor into the events of a forgotten team would fit a new one.
  id integer primary key autoincrement,
  project text not null,
  name text not null,
  run integer not null default 1,
  is_current integer not null default 1,
  goal text not null,
  phase text not null,
  status text not null,
  pause_reason text,
  mode text not null,
  schedule text not null,
  protocol text not null default 'none',
  has_qa integer not null default 0,
  next_task integer not null default 1,
  next_worker integer not null default 1,
  created_at integer not null,
  updated_at integer not null,
  unique (project, name, run)
) strict;
insert into team_with_runs (id, project, name, goal, phase, status, pause_reason, mode, schedule, protocol, has_qa, next_task,
    next_worker, created_at, updated_at)
  select id, project, name, goal, phase, status, pause_reason, mode, schedule, protocol, has_qa, next_task, next_worker,
    created_at, updated_at from team;
-- The highest id that was ever given, also to a team that is forgotten.
delete from sqlite_sequence where name = 'team_with_runs';
insert into sqlite_sequence (name, seq) select 'team_with_runs', seq from sqlite_sequence where name = 'team';
drop table team;
alter table team_with_runs rename to team;
create unique index team_current on team (project, name) where is_current = 1;
