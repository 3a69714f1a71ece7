import { SqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts'
import { storeContract } from '../store-contract.ts'

storeContract('a store in SQLite', () => new SqliteStore(':memory:'))
