import { reactRouter } from '@react-router/dev/vite'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  plugins: [reactRouter()],
  test: {
    include: ['{app,db,server,scripts}/**/*.test.ts'],
    globalSetup: 'db/testing-postgres.ts',
    environment: 'node',
  },
})
