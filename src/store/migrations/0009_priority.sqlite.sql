-- What a person wants done first: among ready tasks of a wave the highest goes before all other order.
alter table task add column priority integer not null default 0;
drop index task_ready;
drop index task_ready_by_role;
create index task_ready on task (team_id, assignee, claim_wave, priority desc, height desc, seq)
  where status = 'open' and unmet = 0;
create index task_ready_by_role on task (team_id, assignee, role, claim_wave, priority desc, height desc, seq)
  where status = 'open' and unmet = 0;
