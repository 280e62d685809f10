import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { type ChainLink, longestChain } from "./longest-chain.ts"

const link = (id: string, ms: number, ...needs: string[]): ChainLink => ({ id, ms, needs })

describe("the longest chain", () => {
  it("goes by time and not by length", () => {
    const links = [link("a", 1), link("b", 1, "a"), link("c", 1, "b"), link("slow", 10), link("d", 1, "slow", "a")]
    expect(longestChain(links)).toEqual({ ids: ["slow", "d"], ms: 11 })
  })

  it("passes over needs that are not there, and survives a circle", () => {
    expect(longestChain([link("a", 5, "gone")])).toEqual({ ids: ["a"], ms: 5 })
    expect(longestChain([link("a", 5, "b"), link("b", 3, "a")]).ms).toBe(8)
    expect(longestChain([])).toEqual({ ids: [], ms: 0 })
  })

  it("takes chains of any length", () => {
    const links = Array.from({ length: 20_000 }, (_, index) => link(String(index), 1, String(index + 1)))
    expect(longestChain(links).ids).toHaveLength(20_000)
  })

  it("is no shorter than any chain there is", () => {
    const graph = fc.array(fc.tuple(fc.nat(50), fc.array(fc.nat(30), { maxLength: 4 })), {
      minLength: 1,
      maxLength: 12,
    })
    fc.assert(
      fc.property(graph, (rows) => {
        const links = rows.map(([ms, needs], index) =>
          link(String(index), ms, ...needs.filter((need) => need < index).map(String)),
        )
        const timeOf = (id: string): number => {
          const { ms, needs } = links[Number(id)] ?? link(id, 0)
          return ms + Math.max(0, ...needs.map(timeOf))
        }
        const { ids, ms } = longestChain(links)
        expect(ms).toBe(Math.max(...links.map(({ id }) => timeOf(id))))
        expect(ids.reduce((sum, id) => sum + (links[Number(id)]?.ms ?? 0), 0)).toBe(ms)
        for (const [index, id] of ids.entries())
          if (index > 0) expect(links[Number(id)]?.needs).toContain(ids[index - 1] ?? "")
      }),
    )
  })
})
