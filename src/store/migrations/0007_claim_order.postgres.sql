-- breaking: a binary that does not know the column would add tasks of closed waves as if they were open
-- The wave by which a task is claimed: its own, or 0 for all of an eager team, whose longest chain then comes first.
alter table task add column claim_wave integer not null default 0;
update task set claim_wave = wave where team_id in (select id from team where schedule <> 'eager');
drop index task_ready;
drop index task_ready_by_role;
create index task_ready on task (team_id, assignee, claim_wave, height desc, seq) where status = 'open' and unmet = 0;
create index task_ready_by_role on task (team_id, assignee, role, claim_wave, height desc, seq)
  where status = 'open' and unmet = 0;
