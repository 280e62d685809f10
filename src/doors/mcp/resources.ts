import { AppError } from "../../kernel/errors.ts"
import { type Event, taskOfEvent } from "../../kernel/events.ts"
import { isId } from "../../kernel/ids.ts"
import type { RecordKind } from "../../kernel/record.ts"
import { toWire } from "../../lib/text/wire-names.ts"
import { LEAD } from "../../messages/message.ts"
import { callCommand } from "./call-tool.ts"
import type { Call, Connection } from "./tool-session.ts"

const ROOT = "teamwork://team/"
const JSON_TYPE = "application/json"

interface Resource {
  readonly path: string
  readonly name: string
  readonly description: string
  readonly command: string
  readonly mimeType: string
  readonly isChangedBy: (event: Event) => boolean
}

/** Types such as `task.created` begin with `task.` */
const about =
  (...kinds: readonly string[]) =>
  ({ type }: Event) =>
    kinds.some((kind) => type.startsWith(`${kind}.`))
const records =
  (kind: RecordKind) =>
  ({ type, data }: Event) =>
    (type === "record.added" || type === "record.changed" || type === "record.removed") && data.kind === kind

const RESOURCES: readonly Resource[] = [
  {
    path: "status",
    name: "Team status",
    description: "How far the team is",
    command: "project status",
    mimeType: JSON_TYPE,
    isChangedBy: () => true,
  },
  {
    path: "tasks",
    name: "Tasks",
    description: "All tasks",
    command: "task list",
    mimeType: JSON_TYPE,
    isChangedBy: about("task", "waves", "wave", "plan", "team"),
  },
  {
    path: "whiteboard",
    name: "Whiteboard",
    description: "The team at a glance",
    command: "whiteboard",
    mimeType: "text/markdown",
    isChangedBy: () => true,
  },
  {
    path: "messages",
    name: "Inbox",
    description: "What was sent to you",
    command: "mailbox read",
    mimeType: JSON_TYPE,
    isChangedBy: about("message"),
  },
  {
    path: "approvals",
    name: "Approvals",
    description: "What waits for an approval",
    command: "approvals",
    mimeType: JSON_TYPE,
    isChangedBy: records("approval"),
  },
  {
    path: "wisdom",
    name: "Wisdom",
    description: "What the team learned and decided",
    command: "wisdom list",
    mimeType: JSON_TYPE,
    isChangedBy: records("wisdom"),
  },
]

const TASK = /^tasks\/([^/]+)$/

export function listResources() {
  return RESOURCES.map(({ path, name, description, mimeType }) => ({ uri: ROOT + path, name, description, mimeType }))
}

export function listTemplates() {
  return [
    {
      uriTemplate: `${ROOT}tasks/{id}`,
      name: "Task",
      mimeType: JSON_TYPE,
      description: "One task with its evidence",
    },
  ]
}

export function findResource(uri: string): { readonly command: string; readonly mimeType: string; id?: string } {
  const path = uri.startsWith(ROOT) ? uri.slice(ROOT.length) : ""
  const found = RESOURCES.find((resource) => resource.path === path)
  if (found !== undefined) return found
  const id = decode(TASK.exec(path)?.[1] ?? "")
  if (isId(id)) return { command: "task get", mimeType: JSON_TYPE, id }
  const known = [...RESOURCES.map((resource) => resource.path), "tasks/{id}"].map((each) => ROOT + each)
  throw new AppError("usage", `there is no resource ${uri}; there are ${known.join(", ")}`)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ""
  }
}

export async function readResource(connection: Connection, uri: string, call: Call) {
  const { command, mimeType, id } = findResource(uri)
  const { worker } = await connection.who()
  const { data, text } = await callCommand(connection, command, { id, inbox: worker ?? LEAD }, call)
  const content =
    mimeType === JSON_TYPE ? JSON.stringify(toWire(data)) : ((await text?.({ columns: 120, color: false })) ?? "")
  return { uri, mimeType, text: content }
}

export function changedBy(events: readonly Event[]): Set<string> {
  const changed = new Set<string>()
  for (const event of events) {
    for (const resource of RESOURCES) if (resource.isChangedBy(event)) changed.add(ROOT + resource.path)
    const task = taskOfEvent(event)
    if (task !== undefined) changed.add(`${ROOT}tasks/${encodeURIComponent(task)}`)
  }
  return changed
}
