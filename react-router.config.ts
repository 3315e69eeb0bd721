import type { Config } from '@react-router/dev/config'

export default {
  appDirectory: 'app',
  serverBuildFile: 'app.js',
  buildDirectory: process.env.BUILD_FOLDER ?? 'build',
  // The whole site map is small: sending it once spares a request at each first click.
  routeDiscovery: { mode: 'initial' },
} satisfies Config
