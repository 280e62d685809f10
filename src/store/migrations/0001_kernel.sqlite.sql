create table team (
  -- Never used again, or a cursor into the events of a forgotten team would fit a new one.
  id integer primary key autoincrement,
  project text not null,
  name text not null,
  goal text not null,
  phase text not null,
  status text not null,
  pause_reason text,
  mode text not null,
  schedule text not null,
  next_task integer not null default 1,
  next_worker integer not null default 1,
  created_at integer not null,
  updated_at integer not null,
  unique (project, name)
) strict;

create table task (
  seq integer primary key,
  team_id integer not null,
  id text not null,
  title text not null,
  description text not null,
  role text not null,
  complexity text not null,
  acceptance text not null,
  checks text not null,
  files text not null,
  agent_type text,
  assignee text not null,
  status text not null,
  paused_from text,
  pause_reason text,
  unmet integer not null,
  wave integer not null default 0,
  height integer not null default 0,
  attempt integer not null default 1,
  result text,
  claimed_by text,
  claimed_at integer,
  claim_token integer not null default 0,
  lease_until integer,
  lease_ms integer not null default 0,
  worker_id text,
  previous_owner text,
  version integer not null default 1,
  created_at integer not null,
  updated_at integer not null,
  completed_at integer,
  unique (team_id, id)
) strict;

-- "Next ready task" is the first entry of one of these two, whatever the size of the team.
create index task_ready on task (team_id, assignee, wave, height desc, seq) where status = 'open' and unmet = 0;
create index task_ready_by_role on task (team_id, assignee, role, wave, height desc, seq)
  where status = 'open' and unmet = 0;
create index task_held on task (team_id, lease_until) where status = 'in_progress';

create table need (
  team_id integer not null,
  task_id text not null,
  need_id text not null,
  primary key (team_id, task_id, need_id)
) strict, without rowid;
create index need_dependants on need (team_id, need_id);

-- Keeps the counter of unmet needs true in the transaction that changes the need's status.
create trigger task_unmet after update of status on task
when (old.status in ('resolved', 'skipped')) <> (new.status in ('resolved', 'skipped'))
begin
  update task set unmet = unmet + case when new.status in ('resolved', 'skipped') then -1 else 1 end
  where team_id = new.team_id
    and id in (select task_id from need where team_id = new.team_id and need_id = new.id);
end;

create table wave (
  team_id integer not null,
  number integer not null,
  verdict text,
  started_at integer,
  verified_at integer,
  primary key (team_id, number)
) strict, without rowid;

create table worker (
  team_id integer not null,
  id text not null,
  role text,
  session_id text,
  pane text,
  worktree text,
  branch text,
  availability text not null,
  heartbeat_at integer not null,
  created_at integer not null,
  primary key (team_id, id)
) strict, without rowid;

create table message (
  seq integer primary key,
  id text not null unique,
  team_id integer not null,
  sender text not null,
  recipient text not null,
  type text not null,
  payload text not null,
  sent_at integer not null,
  delivered_at integer,
  read_at integer
) strict;
create index message_inbox on message (team_id, recipient, seq);
create index message_unread on message (team_id, recipient, seq) where read_at is null;

create table evidence (
  seq integer primary key,
  team_id integer not null,
  task_id text not null,
  attempt integer not null,
  type text not null,
  trust text not null,
  text text not null,
  facts text not null,
  blocked_pattern text,
  author text not null,
  recorded_at integer not null,
  withdrawn_at integer
) strict;
create index evidence_task on evidence (team_id, task_id, seq);

create table verdict (
  seq integer primary key,
  team_id integer not null,
  scope text not null,
  subject text,
  status text not null,
  checks text not null,
  issues text not null,
  author text not null,
  recorded_at integer not null
) strict;
create index verdict_team on verdict (team_id, seq);

-- Numbered within the team and kept in that order: an event is one page written at the end of one tree.
create table event (
  team_id integer not null,
  seq integer not null,
  type text not null,
  version integer not null default 1,
  recorded_at integer not null,
  actor text not null,
  data text not null,
  primary key (team_id, seq)
) strict, without rowid;

create table loop_state (
  terminal_id text primary key,
  active integer not null,
  project text not null,
  team text not null,
  role text,
  started_at integer not null
) strict, without rowid;
