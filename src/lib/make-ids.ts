/** Fresh unique ids, as a port: a simulation brings a counted one. */
export interface Ids {
  uuid(): string
}

export const systemIds: Ids = { uuid: () => crypto.randomUUID() }
