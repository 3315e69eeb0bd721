import type { Config } from '@react-router/dev/config'

export default {
  appDirectory: 'app',
  // A pattern of the bundler: each entry of the server keeps its name.
  serverBuildFile: '[name].js',
  buildDirectory: process.env.BUILD_FOLDER ?? 'build',
  // The route manifest is small, and sending all of it saves a request at each first click.
  routeDiscovery: { mode: 'initial' },
} satisfies Config
