alter table task add column work text not null default '{}';
create table leader (
  team_id bigint primary key,
  holder text not null,
  token bigint not null,
  lease_until bigint not null
);
