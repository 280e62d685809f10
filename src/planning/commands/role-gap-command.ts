import { fromOperation } from "../../app/command.ts"
import { oneLine } from "../../lib/text/table.ts"
import { reportGap } from "../operations/role-gap.ts"

export const roleGap = fromOperation(reportGap, {
  positional: ["task"],
  example: 'teamwork role gap --task API-2 --owner w1 --capability "Write the migration in SQL"',
  text: ({ why }) => oneLine(`${why.charAt(0).toUpperCase()}${why.slice(1)}`),
})
