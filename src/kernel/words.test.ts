import { describe, expect, it } from "bun:test"
import { countShared, foldText, wordsOf } from "./words.ts"

describe("folding a text", () => {
  it("makes one of what differs in case, spaces and punctuation", () => {
    const texts = ["Use the pool, always!", "use the  pool always", "USE THE POOL -- ALWAYS.", "use\nthe pool\talways"]
    expect(new Set(texts.map(foldText))).toEqual(new Set(["use the pool always"]))
    expect(foldText("ｆｕｌｌ width")).toBe("full width")
  })

  it("keeps apart what says something else", () => {
    expect(foldText("C++ is fine")).not.toBe(foldText("C is fine"))
    expect(foldText("notable")).not.toBe(foldText("not able"))
    expect(foldText(" .,;! ")).toBe("")
  })
})

describe("the words of a text", () => {
  it("are those that say what it is about, one and many alike", () => {
    expect([...wordsOf("The tests of src/api/items.ts must use the pool")]).toEqual([
      "test",
      "src",
      "api",
      "item",
      "pool",
    ])
    expect([...wordsOf("class glass 404")]).toEqual(["class", "glass", "404"])
  })

  it("are pairs of letters in Chinese", () => {
    expect(countShared(wordsOf("数据库连接池"), wordsOf("请检查数据库"))).toBe(2)
    expect(countShared(wordsOf("页面"), wordsOf("数据库"))).toBe(0)
  })
})
