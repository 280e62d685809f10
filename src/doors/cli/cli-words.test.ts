import { describe, expect, it } from "bun:test"
import { AppError } from "../../kernel/errors.ts"
import type { Remedy } from "../../kernel/remedy.ts"
import { errorFacts } from "../error-facts.ts"
import { cliWords } from "./cli-words.ts"
import { VISIBLE_COMMANDS } from "./commands.ts"

async function told(message: ConstructorParameters<typeof AppError>[1], remedy: Remedy | Remedy[] = []) {
  const error = new AppError("usage", message, {}, { remedy })
  return error.tell(await cliWords(error, VISIBLE_COMMANDS))
}

describe("the words of the command line", () => {
  it("are a command line, without the flags that it can do without", async () => {
    expect(await told("no", { operation: "task list", to: "see" })).toBe("no; see: teamwork task list")
    expect(await told("no", { operation: "task release", fields: { id: "3" } })).toBe(
      "no; run: teamwork task release 3",
    )
    expect(await told("no", { operation: "resume", fields: { task: "3" } })).toBe("no; run: teamwork resume --task 3")
  })

  it("join several ways, and quote what a shell would take apart", async () => {
    const remedies: Remedy[] = [
      { operation: "config set", fields: { key: "a.b", value: "1; 2" }, to: "mend it with" },
      { operation: "import", fields: { path: "/a b" } },
    ]
    expect(await told("no", remedies)).toBe(
      "no; mend it with: teamwork config set a.b '1; 2', or teamwork import '/a b'",
    )
  })

  it("name fields as flags", async () => {
    expect(await told((say) => `say ${say.field("addEvidence")}`)).toBe("say --add-evidence")
  })
})

describe("a way out for a team that was named", () => {
  it("names the team too, or it would be for another one", async () => {
    const error = new AppError(
      "task.delete_refused",
      "no",
      {},
      { remedy: { operation: "task delete", fields: { id: "1", force: true } } },
    )
    const place = { project: "shop", team: "zz" }
    expect(error.tell(await cliWords(error, VISIBLE_COMMANDS, place))).toBe(
      "no; run: teamwork task delete 1 --force --project shop --team zz",
    )
  })
})

describe("an error as programs get it", () => {
  it("has its remedies as data, in wire names, and only where there are some", async () => {
    const fields = { workerId: "w1" }
    const error = new AppError(
      "workspace.not_found",
      "no",
      { workerId: "w1" },
      { remedy: { operation: "swarm sync", fields } },
    )
    expect(errorFacts(error, await cliWords(error, VISIBLE_COMMANDS))).toEqual({
      code: "workspace.not_found",
      message: "no; run: teamwork swarm sync w1",
      details: { worker_id: "w1" },
      remedy: [{ operation: "swarm sync", fields: { worker_id: "w1" } }],
    })
    const without = new AppError("usage", "no")
    expect(errorFacts(without, await cliWords(without, VISIBLE_COMMANDS))).toEqual({
      code: "usage",
      message: "no",
      details: {},
    })
  })
})
