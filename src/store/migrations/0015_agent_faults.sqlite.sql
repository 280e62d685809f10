-- Of an agent program and its account, so of all teams of the store. A program that works has no row.
create table agent_fault (
  agent text primary key,
  reason text not null,
  error text not null,
  faults integer not null,
  is_open integer not null,
  noted_at integer not null,
  until integer not null,
  fingerprint text,
  probe_by text,
  probe_until integer,
  has_answered integer not null
) strict;

-- How much of what it may an account has used, as its program last reported it.
create table agent_quota (
  agent text primary key,
  noted_at integer not null,
  windows text not null
) strict;
