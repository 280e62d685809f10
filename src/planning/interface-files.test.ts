import { expect, it } from "bun:test"
import { problemWithPattern } from "../ownership/file-pattern.ts"
import { interfacePatterns } from "./interface-files.ts"

const TYPES = "**/*.{css,scss,sass,less,html,vue,svelte,jsx,tsx,svg}"

it("F045: finds the interface of a repository by its folders and the types of its files", () => {
  const files = [
    ...["README.md", "src/server/index.ts", "src/client/http.ts", "src/components/cart/Cart.tsx"],
    ...["src/components/Button.tsx", "web/index.html", "web/pages/a.html", "templates/mail.txt", "docs/index.html"],
  ]
  expect(interfacePatterns(files)).toEqual(["src/components/**", "web/**", TYPES])
  expect(interfacePatterns([])).toEqual([TYPES])
  for (const pattern of interfacePatterns(files)) expect(problemWithPattern(pattern)).toBeUndefined()
})
