import { createContext } from 'react-router'
import type { Mailer } from './mailer.server.ts'

export const mailerKey = createContext<Mailer>()
