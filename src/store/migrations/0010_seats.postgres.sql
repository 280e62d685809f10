-- Sessions of agents, and terminals, that have joined a team; the memory, as JSON, is what their hooks know from call to call.
create table seat (
  terminal_id text primary key,
  team_id bigint not null,
  part text not null,
  worker_id text,
  delegation text not null,
  joined_at bigint not null,
  memory text not null
);
create index seat_by_team on seat (team_id);
