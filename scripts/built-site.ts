/** Imports the built server. Its modules are separate from the modules of the sources. */
export async function builtSite() {
  const [app, dependencies] = ['../build/server/app.js', '../build/server/dependencies.js']
  const { createApp }: typeof import('../server/app.ts') = await import(app)
  const { createDependencies }: typeof import('../server/dependencies.ts') = await import(dependencies)
  return { createApp, createDependencies }
}
