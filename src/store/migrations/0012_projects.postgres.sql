-- breaking: programs that do not know it name branches by the team alone
-- The repositories in which a project lives. A project of before, or of no repository, has none: the first that has its
-- work, or uses it, becomes its own.
create table project_repository (
  project text collate "C" not null,
  repository text collate "C" not null,
  git_dir text not null,
  folder text not null,
  is_default bigint not null,
  is_linked bigint not null,
  added_at bigint not null,
  primary key (project, repository)
);
create unique index project_by_repository on project_repository (repository) where is_default = 1;
-- Of two repositories that begin at once, one gets the name.
create unique index project_owner on project_repository (project) where is_linked = 0;
