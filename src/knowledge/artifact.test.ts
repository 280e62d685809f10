import { expect, it } from "bun:test"
import { documentOf, fileNameOf, kindOfFile } from "./artifact.ts"

it("an artifact has a name that no disk can mistake", () => {
  expect(documentOf({ number: 3, name: "report.md" })).toBe("artifacts/3-report.md")
  expect(fileNameOf({ number: 1, name: "../../etc/pass wd" })).toBe("1-etc-pass-wd")
  expect(fileNameOf({ number: 2, name: "///" })).toBe("2-artifact")
  expect(fileNameOf({ number: 4, name: "报告.md" })).toBe("4-报告.md")
  expect(fileNameOf({ number: 5, name: `${"x".repeat(300)}.md` })).toBe(`5-${"x".repeat(77)}.md`)
})

it("the kind of an artifact is guessed from its name", () => {
  const kinds = ["a.ts", "README.MD", "x.csv", "plan.svg", "Makefile"].map(kindOfFile)
  expect(kinds).toEqual(["code", "document", "data", "design", "code"])
})
