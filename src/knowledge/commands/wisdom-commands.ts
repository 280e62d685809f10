import { fromOperation } from "../../app/command.ts"
import { addWisdom, listWisdom, removeWisdom } from "../operations/keep-wisdom.ts"
import { renderWisdom, wisdomLine } from "../views/knowledge-view.ts"

export const wisdomAdd = fromOperation(addWisdom, {
  positional: ["text"],
  example: 'teamwork wisdom add "The tests need a clean database" --kind learning --task 3 --by w1',
  text: wisdomLine,
})

export const wisdomList = fromOperation(listWisdom, { text: renderWisdom })

export const wisdomRemove = fromOperation(removeWisdom, {
  positional: ["number"],
  example: "teamwork wisdom remove 2",
  text: ({ number }) => `Removed wisdom ${number}`,
})
