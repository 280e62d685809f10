-- Of an agent's account, so of all teams of the store.
create table rate_limit (
  agent text primary key collate "C",
  noted_at bigint not null,
  until bigint not null,
  times bigint not null
);
