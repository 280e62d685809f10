// Those who wait for work look their worker up again and again: that must not read every task of the team.
import { expect, it } from "bun:test"
import { join } from "node:path"
import { parseWorkerId } from "../../src/kernel/ids.ts"
import { systemClock } from "../../src/lib/clock.ts"
import type { Param, Session } from "../../src/store/rows/sql-session.ts"
import { workerStore } from "../../src/store/rows/worker-rows.ts"
import { connect } from "../../src/store/sqlite/connection.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import { makeScratch } from "../support/sandbox.ts"
import { claimRequest, makeTask, makeTeam } from "../support/stores.ts"

it("finds a worker among the tasks in progress only", async () => {
  using scratch = makeScratch("worker-lookup")
  const path = join(scratch.path, "teamwork.db")
  await using store = await openSqliteStore({ path, clock: systemClock })
  const { key } = await makeTeam(store)
  await makeTask(store, key, "1")
  await store.claimTask(claimRequest("w1"))
  const { session, close } = await connect(path, systemClock)
  const plans: string[] = []
  const explain = async (text: string, params: readonly Param[] = []) => {
    const steps = await session.all<{ detail: string }>(`explain query plan ${text}`, params)
    plans.push(...steps.map(({ detail }) => detail).filter((detail) => detail.includes(" task")))
  }
  const watched: Session = {
    ...session,
    async all(text, params) {
      await explain(text, params)
      return session.all(text, params)
    },
    async get(text, params) {
      await explain(text, params)
      return session.get(text, params)
    },
  }
  expect(await workerStore(watched).find(key, parseWorkerId("w1"))).toMatchObject({ status: "working" })
  expect(plans).toEqual(["SEARCH task USING INDEX task_held (team_id=?)"])
  close()
})
