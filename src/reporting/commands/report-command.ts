import * as v from "valibot"
import { command } from "../../app/command.ts"
import { choice } from "../../lib/schema.ts"
import { runFields } from "../../store/operation.ts"
import { readReportFacts } from "../operations/report-facts.ts"
import { makeReport } from "../report.ts"
import { renderReport, renderReportMarkdown } from "../views/report-view.ts"

const input = {
  ...runFields,
  format: v.optional(choice(["text", "markdown", "json", "table"], "text, the same as table, unless another is named")),
}

export const report = command({
  summary: "Report what a team did, took and cost, and what is left to do",
  fields: input,
  example: "teamwork report --format markdown > REPORT.md",
  async run({ context }, { format, ...name }) {
    const made = makeReport(await readReportFacts(await context(), name))
    return {
      data: made,
      text: (screen) => (format === "markdown" ? renderReportMarkdown(made) : renderReport(made, screen)),
      isDocument: true,
    }
  },
})
