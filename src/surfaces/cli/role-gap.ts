import { reportGap } from "../../operations/role-gap.ts"
import { oneLine } from "../../views/table.ts"
import { fromOperation } from "./command.ts"

export const roleGap = fromOperation(reportGap, {
  positional: ["task"],
  example: 'teamwork role gap --task API-2 --owner w1 --capability "Write the migration in SQL"',
  text: ({ why }) => oneLine(`${why.charAt(0).toUpperCase()}${why.slice(1)}`),
})
