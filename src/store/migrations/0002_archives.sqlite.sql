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

-- A message's id is its team's: the same team may be brought in twice, under two names.
create table message_of_team (
  seq integer primary key,
  id text not null,
  team_id integer not null,
  sender text not null,
  recipient text not null,
  type text not null,
  payload text not null,
  sent_at integer not null,
  delivered_at integer,
  read_at integer,
  unique (team_id, id)
) strict;
insert into message_of_team
select seq, id, team_id, sender, recipient, type, payload, sent_at, delivered_at, read_at from message;
drop table message;
alter table message_of_team rename to message;
create index message_inbox on message (team_id, recipient, seq);
create index message_unread on message (team_id, recipient, seq) where read_at is null;
