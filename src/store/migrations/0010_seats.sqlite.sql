-- Sessions of agents, and terminals, that have joined a team; the memory, as JSON, is what their hooks know from call to call.
create table seat (
  terminal_id text primary key,
  team_id integer not null,
  part text not null,
  worker_id text,
  delegation text not null,
  joined_at integer not null,
  memory text not null
) strict, without rowid;
create index seat_by_team on seat (team_id);
