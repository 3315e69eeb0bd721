/** Imports the built server, whose modules are separate from those of the sources. */
export async function builtSite() {
  const [app, dependencies] = ['../build/server/app.js', '../build/server/dependencies.js']
  const { createApp }: typeof import('../server/app.ts') = await import(app)
  const { createDependencies }: typeof import('../server/dependencies.ts') = await import(dependencies)
  return { createApp, createDependencies }
}
