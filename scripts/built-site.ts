/**
 * Imports the built server, so that tests can compose a site from it. Its modules are separate from those of the
 * sources.
 */
export async function builtSite() {
  const [app, world] = ['../build/server/app.js', '../build/server/world.js']
  const { createApp }: typeof import('../server/app.ts') = await import(app)
  const { createDependencies }: typeof import('../server/dependencies.ts') = await import(world)
  return { createApp, createDependencies }
}
