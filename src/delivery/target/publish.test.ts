import { expect, test } from "bun:test"
import { compareAddress } from "./publish.ts"

test.each([
  ["https://github.com/o/r.git", "https://github.com/o/r/compare/main...a%2Fb?expand=1"],
  ["https://user:secret@github.com/o/r", "https://github.com/o/r/compare/main...a%2Fb?expand=1"],
  ["git@github.com:o/r.git", "https://github.com/o/r/compare/main...a%2Fb?expand=1"],
  ["ssh://git@host.example:2222/o/r.git", "https://host.example/o/r/compare/main...a%2Fb?expand=1"],
  [
    "git@gitlab.com:g/s/r.git",
    "https://gitlab.com/g/s/r/-/merge_requests/new?merge_request[source_branch]=a%2Fb&merge_request[target_branch]=main",
  ],
  ["/srv/git/r.git", undefined],
  ["../r.git", undefined],
])("a pull request for %p is opened at %p", (remote, address) => {
  expect(compareAddress(remote, "main", "a/b")).toBe(address as string)
})
