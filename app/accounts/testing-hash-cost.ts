import { hashCost } from './password-hash.server.ts'

// Hundreds of tests sign in, and hashing would take most of their time. Argon2 needs at least 8 KiB.
Object.assign(hashCost, { memory: 8, passes: 1 })
