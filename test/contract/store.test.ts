import { STORES } from "../support/stores.ts"
import { storeContract } from "./store.contract.ts"

for (const [name, makeDatabase] of Object.entries(STORES)) storeContract(name, makeDatabase)
