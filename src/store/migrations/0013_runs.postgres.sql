-- breaking
-- A row of team is one run of a team: run 1, 2 and so on. One of them is the current run. Older programs would take every
-- run for the team.
alter table team add column run integer not null default 1;
alter table team add column is_current integer not null default 1;
alter table team drop constraint team_project_name_key;
alter table team add constraint team_project_name_run_key unique (project, name, run);
create unique index team_current on team (project, name) where is_current = 1;
