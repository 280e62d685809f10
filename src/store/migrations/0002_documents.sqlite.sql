create table document (
  team_id integer not null,
  path text not null,
  content text not null,
  encoding text not null,
  author text not null,
  created_at integer not null,
  updated_at integer not null,
  primary key (team_id, path)
) strict;
