import type { Context } from "../store/operation.ts"
import type { Store } from "../store/port.ts"
import type { Session } from "./command.ts"
import type { Configured, GlobalFlags, Host, ShareStore } from "./host.ts"

/** Opens configuration and store at the first use, and closes the store at the end. */
export function openSession(
  host: Host,
  flags: GlobalFlags,
): AsyncDisposable & Pick<Session, "configured" | "context" | "reconfigure"> {
  let loaded: Promise<Configured> | undefined
  let opening: Promise<Store> | undefined
  const share: ShareStore = (open) => (opening ??= open())
  const configured = () => (loaded ??= host.configure(flags, share))
  const context = async () => {
    const settings = await configured()
    return makeContext(host, settings, await share(settings.openStore))
  }
  return {
    configured,
    context,
    async reconfigure() {
      loaded = undefined
      // The new settings may name another store.
      const before = await opening?.catch(() => undefined)
      opening = undefined
      await before?.[Symbol.asyncDispose]()
    },
    async [Symbol.asyncDispose]() {
      // At the end: this call may be the one that agrees to them.
      reportUntrusted(host, await loaded?.catch(() => undefined))
      // The caller has seen why it did not open.
      const store = await opening?.catch(() => undefined)
      await store?.[Symbol.asyncDispose]()
    },
  }
}

function reportUntrusted({ io }: Host, configured: Configured | undefined): void {
  const { file, untrusted } = configured?.ownSettings ?? { file: "", untrusted: [] }
  if (untrusted.length > 0)
    io.err(`Note: ${file} sets ${untrusted.join(", ")}; not used until you agree to it. See: teamwork trust`)
}

export function makeContext(host: Host, configured: Configured, store: Store): Context {
  const context: Context = {
    store,
    ids: host.ids,
    settings: configured.settings,
    ownProject: (project) => configured.ownDetected(project),
    async roles() {
      const { findRoles } = await import("./wiring/find-roles.ts")
      return (await findRoles({ host, configured: async () => configured, context: async () => context })).roles
    },
  }
  return context
}
