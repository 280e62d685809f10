create table team (
  id bigint generated always as identity primary key,
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
  created_at bigint not null,
  updated_at bigint not null,
  unique (project, name)
);

create table task (
  seq bigint generated always as identity primary key,
  team_id bigint not null,
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
  claimed_at bigint,
  claim_token integer not null default 0,
  lease_until bigint,
  lease_ms bigint not null default 0,
  worker_id text,
  previous_owner text,
  version integer not null default 1,
  created_at bigint not null,
  updated_at bigint not null,
  completed_at bigint,
  unique (team_id, id)
);

-- "Next ready task" is the first entry of one of these two, whatever the size of the team.
create index task_ready on task (team_id, assignee, wave, height desc, seq) where status = 'open' and unmet = 0;
create index task_ready_by_role on task (team_id, assignee, role, wave, height desc, seq)
  where status = 'open' and unmet = 0;
create index task_held on task (team_id, lease_until) where status = 'in_progress';
create index task_progress on task (team_id, wave, status);

create table need (
  team_id bigint not null,
  task_id text not null,
  need_id text not null,
  primary key (team_id, task_id, need_id)
);
create index need_dependants on need (team_id, need_id);

-- Keeps the counter of unmet needs true in the transaction that changes the need's status. A function's statements take
-- a fresh snapshot, so a task that was created while we waited for the need's row lock is counted too.
create function count_unmet() returns trigger language plpgsql as $$
declare
  was_met boolean := old.status in ('resolved', 'skipped');
  is_met boolean := new.status in ('resolved', 'skipped');
begin
  if was_met = is_met or not exists (select 1 from need where team_id = new.team_id and need_id = new.id) then
    return null;
  end if;
  -- One order for everybody, or two resolves with common dependants could deadlock.
  perform 1 from task
    where team_id = new.team_id
      and id in (select task_id from need where team_id = new.team_id and need_id = new.id)
    order by seq for update;
  update task set unmet = unmet + case when is_met then -1 else 1 end
    where team_id = new.team_id
      and id in (select task_id from need where team_id = new.team_id and need_id = new.id);
  return null;
end $$;
-- The condition is read anew for every update, so it is short: it only keeps claims from calling the function.
create trigger task_unmet after update of status on task for each row
when (new.status <> 'in_progress' or old.status <> 'open') execute function count_unmet();

create table wave (
  team_id bigint not null,
  number integer not null,
  verdict text,
  started_at bigint,
  verified_at bigint,
  primary key (team_id, number)
);

create table worker (
  team_id bigint not null,
  id text not null,
  role text,
  session_id text,
  pane text,
  worktree text,
  branch text,
  availability text not null,
  heartbeat_at bigint not null,
  created_at bigint not null,
  primary key (team_id, id)
);

create table message (
  seq bigint generated always as identity primary key,
  id text not null unique,
  team_id bigint not null,
  sender text not null,
  recipient text not null,
  type text not null,
  payload text not null,
  sent_at bigint not null,
  delivered_at bigint,
  read_at bigint
);
create index message_inbox on message (team_id, recipient, seq);
create index message_unread on message (team_id, recipient, seq) where read_at is null;

create table evidence (
  seq bigint generated always as identity primary key,
  team_id bigint not null,
  task_id text not null,
  attempt integer not null,
  type text not null,
  trust text not null,
  text text not null,
  facts text not null,
  blocked_pattern text,
  author text not null,
  recorded_at bigint not null,
  withdrawn_at bigint
);
create index evidence_task on evidence (team_id, task_id, seq);

-- A function looks at the present: a statement that waited for the task's row does not see what was written meanwhile.
create function has_blocked_evidence(of_team bigint, of_task text, of_attempt integer) returns boolean language plpgsql as $$
begin
  return exists (select 1 from evidence where team_id = of_team and task_id = of_task and attempt = of_attempt
    and blocked_pattern is not null and withdrawn_at is null);
end $$;

create table verdict (
  seq bigint generated always as identity primary key,
  team_id bigint not null,
  scope text not null,
  subject text,
  status text not null,
  checks text not null,
  issues text not null,
  author text not null,
  recorded_at bigint not null
);
create index verdict_team on verdict (team_id, seq);

create table event (
  seq bigint generated always as identity,
  -- A reader goes by (xid, seq) and stops before the oldest running transaction, so a late commit is never passed over.
  xid xid8 not null default pg_current_xact_id(),
  team_id bigint not null,
  type text not null,
  version integer not null default 1,
  recorded_at bigint not null,
  actor text not null,
  data text not null,
  primary key (team_id, xid, seq)
);

create table loop_state (
  terminal_id text primary key,
  active integer not null,
  project text not null,
  team text not null,
  role text,
  started_at bigint not null
);
