import { expect, it } from "bun:test"
import { findRemark } from "./find-remark.ts"

const PATTERNS = ["should work", "TODO", "FIXME", "not implemented", "placeholder", "hack"]

it.each([
  ["// TODO: later", "TODO"],
  ["x = 1 # FIXME", "FIXME"],
  ["    TODO(me) tell somebody", "TODO"],
  ["// todo: later", "TODO"],
  [" * todo later", "TODO"],
  ["<!-- Todo -->", "TODO"],
  ["-- todo: index", "TODO"],
  ['throw new Error("Not Implemented")', "not implemented"],
  ["raise X, this  should\twork now", "should work"],
  ['const text = "placeholder"', "placeholder"],
  ["const text = 'a placeholder text'", "placeholder"],
  ["/* a hack */", "hack"],
  ["return 1 // Hack", "hack"],
])("sees that %j says %s", (line, pattern) => {
  expect(findRemark(line, PATTERNS)).toBe(pattern)
})

it.each([
  "const todo = addTodo(todo)",
  "export interface Todo { todo: string }",
  "todos.filter((todo) => todo.done)",
  '<input placeholder="Name" />',
  'input::placeholder { color: "red" }',
  '  "placeholder": 1,',
  "el.placeholder = name",
  "const { placeholder, hack } = props",
  "AUTODOC TODOS",
  "fixmes shouldwork",
  "const url = `https://example.com/todo`",
  "the hacker",
  "",
])("sees no remark in %j", (line) => {
  expect(findRemark(line, PATTERNS)).toBeUndefined()
})
