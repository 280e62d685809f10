alter table task add column work text not null default '{}';
create table leader (
  team_id integer primary key,
  holder text not null,
  token integer not null,
  lease_until integer not null
) strict;
