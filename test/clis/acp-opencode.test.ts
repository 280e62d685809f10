import { cliSuite } from "./cli.suite.ts"
import { ACP_OPENCODE } from "./programs.ts"

cliSuite(ACP_OPENCODE)
