// Runs one command line in this process.
import { makeHost } from "../app/make-host.ts"
import { thisProcess } from "../app/this-process.ts"
import { runCli } from "../doors/cli/run-cli.ts"

process.exit(await runCli(process.argv.slice(2), makeHost(thisProcess())))
