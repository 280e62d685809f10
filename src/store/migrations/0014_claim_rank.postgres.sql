-- Among ready tasks of one priority the lowest goes first: with how many others it is expected to collide.
alter table task add column claim_rank integer not null default 0;
drop index task_ready;
drop index task_ready_by_role;
create index task_ready on task (team_id, assignee, claim_wave, priority desc, claim_rank, height desc, seq)
  where status = 'open' and unmet = 0;
create index task_ready_by_role on task (team_id, assignee, role, claim_wave, priority desc, claim_rank, height desc, seq)
  where status = 'open' and unmet = 0;
