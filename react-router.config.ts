import type { Config } from '@react-router/dev/config'

export default {
  appDirectory: 'app',
  serverBuildFile: 'app.js',
  buildDirectory: process.env.BUILD_FOLDER ?? 'build',
  // The route manifest is small, and sending all of it saves a request at each first click.
  routeDiscovery: { mode: 'initial' },
} satisfies Config
