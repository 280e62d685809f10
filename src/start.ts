// Where the program starts. Agent programs call a hook at every use of a tool, and most sessions take part in no team:
// these calls are let go here, before anything else is loaded.
import { teamworkHomeOf } from "./config/environment.ts"
import { isForNobody } from "./surfaces/hooks/is-for-nobody.ts"

if (await isForNobody(process.argv.slice(2), teamworkHomeOf(process.env))) process.exit(0)
await import("./main.ts")
