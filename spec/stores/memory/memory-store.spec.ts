import { MemoryStore } from '../../../src/stores/memory/memory-store.ts'
import { storeContract } from '../store-contract.ts'

storeContract('a store in memory', () => new MemoryStore())
