// Where the program starts. Agent programs call a hook at every use of a tool; most sessions take part in no team, and most
// tools write nothing: these calls are let go here, before anything else is loaded.
import { teamworkHomeOf } from "./config/environment.ts"
import { needsNoAnswer } from "./surfaces/hooks/needs-no-answer.ts"

if (await needsNoAnswer(process.argv.slice(2), teamworkHomeOf(process.env))) process.exit(0)
await import("./main.ts")
