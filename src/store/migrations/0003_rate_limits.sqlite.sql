-- Of an agent's account, so of all teams of the store.
create table rate_limit (
  agent text primary key,
  noted_at integer not null,
  until integer not null,
  times integer not null
) strict;
