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
