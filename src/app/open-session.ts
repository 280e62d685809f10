import type { Context } from "../store/operation.ts"
import type { Store } from "../store/port.ts"
import type { Session } from "./command.ts"
import type { Configured, GlobalFlags, Host, ShareStore } from "./host.ts"

/** Configuration and store are opened at the first use; the store is closed at the end. */
export function openSession(host: Host, flags: GlobalFlags): AsyncDisposable & Pick<Session, "configured" | "context"> {
  let loaded: Promise<Configured> | undefined
  let opening: Promise<Store> | undefined
  const share: ShareStore = (open) => (opening ??= open())
  const configured = () => (loaded ??= host.configure(flags, share))
  const context = async () => {
    const settings = await configured()
    return makeContext(host, settings, await share(settings.openStore))
  }
  return {
    ...{ configured, context },
    async [Symbol.asyncDispose]() {
      // One that could not be opened was told to whoever asked for it.
      const store = await opening?.catch(() => undefined)
      await store?.[Symbol.asyncDispose]()
    },
  }
}

/** What operations on a store work with here. Few of them ask for the roles. */
export function makeContext(host: Host, configured: Configured, store: Store): Context {
  const context: Context = {
    ...{ store, ids: host.ids, settings: configured.settings },
    ownProject: (project) => configured.ownDetected(project),
    async roles() {
      const { findRoles } = await import("./wiring/find-roles.ts")
      return (await findRoles({ host, configured: async () => configured, context: async () => context })).roles
    },
  }
  return context
}
