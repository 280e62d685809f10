create table document (
  team_id bigint not null,
  path text not null collate "C",
  content text not null,
  encoding text not null,
  author text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (team_id, path)
);

-- A message's id is its team's: the same team may be brought in twice, under two names.
alter table message drop constraint message_id_key;
alter table message add unique (team_id, id);
