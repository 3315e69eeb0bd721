import { globSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { reactRouter } from '@react-router/dev/vite'
import { defineConfig, type Plugin, type Rolldown } from 'vite'
import packageJson from './package.json' with { type: 'json' }
import { oldestBrowsers } from './scripts/oldest-browsers.ts'

// Vite's preload helper would fetch the stylesheet of each lazy chunk first, but every page has the only stylesheet.
const withoutStylesheets: Plugin = {
  name: 'parts-without-stylesheets',
  enforce: 'pre',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'client',
  load: (id) => (id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load()' : null),
}

// React Router reloads the document if the script of a route fails to load; the replacement waits.
const waitingForScripts: Plugin = {
  name: 'routes-that-wait',
  enforce: 'pre',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'client',
  load: (id) =>
    id.endsWith('/dom/ssr/routeModules.js')
      ? "export { loadRouteModule } from '/app/platform/router-workarounds.ts'"
      : null,
}

const DAYS = /app\/(?:hours\/(?:business-day|unbroken-times)|dates\/month)\.ts/
const TYPED = /app\/ui\/(?:typed-text|characters|normalize)\.ts/

const pages = globSync('app/*/*-page.tsx')
const pagesInSitemap = pages.filter((file) => /\binSitemap: true/.test(readFileSync(file, 'utf8')))

// All modules that a module imports, with itself.
function importsOf(id: string, context: Rolldown.ChunkingContext, found = new Set<string>()) {
  if (found.has(id)) return found
  found.add(id)
  for (const imported of context.getModuleInfo(id)?.importedIds ?? []) importsOf(imported, context, found)
  return found
}

const importsOfFiles = new Map<string, Set<string>>()

/** Puts a module into the chunk if `isShared` with the number of pages that import it, and of those in the sitemap. */
function chunk(
  name: string,
  isShared: (importers: { all: number; inSitemap: number; everywhere: boolean }) => boolean,
) {
  return {
    name: (id: string, context: Rolldown.ChunkingContext) => {
      const isImportedBy = (file: string) => {
        const imports = importsOfFiles.get(file) ?? importsOf(resolve(file), context)
        importsOfFiles.set(file, imports)
        return imports.has(id)
      }
      const all = pages.filter(isImportedBy).length
      const inSitemap = pagesInSitemap.filter(isImportedBy).length
      const everywhere = ['app/root.tsx', 'app/entry.client.tsx'].some(isImportedBy)
      return isShared({ all, inSitemap, everywhere }) ? name : null
    },
    debugName: name,
    // The entry must run last, when the router has the modules of the page.
    test: /preload-helper|\/app\/(?!entry\.client)/,
  }
}

export default defineConfig(({ command }) => ({
  plugins: [reactRouter(), withoutStylesheets, waitingForScripts],
  css: {
    // Readable names show the file of a style in the browser's inspector, and hashes would be longer.
    modules: { generateScopedName: (name, file) => `${basename(file, '.module.css')}_${name}` },
  },
  build: {
    target: Object.entries(oldestBrowsers).map(([name, version]) => `${name}${version}`),
    // The content security policy blocks data: URLs.
    assetsInlineLimit: 0,
    // One stylesheet for the site, which the server adds to every document.
    cssCodeSplit: false,
    // React Router lists the scripts of a page; a helper for the others would add 1 KB to every page.
    modulePreload: false,
  },
  environments: {
    client: {
      build: {
        rolldownOptions: {
          // No module of `app` has a side effect at load, so those that no page uses can be dropped.
          treeshake: { moduleSideEffects: (id) => !/\/app\/.*\.tsx?$/.test(id) },
          output: {
            // One chunk with all that every page needs compresses better than twenty small ones.
            codeSplitting: {
              groups: [
                {
                  name: 'framework',
                  // Chunks include their imports, so this earlier one takes what every page needs of `days`.
                  test: /rolldown\/runtime|node_modules\/(?:react|react-dom|react-router|scheduler)\/|app\/(?:dates\/japan|languages\/(?:language|words)|platform\/(?:router-workarounds|reach)|ui\/shared-value)\./,
                },
                { name: 'days', test: DAYS },
                // Guests' pages type nothing, so this must not become a part of `shell`.
                { name: 'typed', test: TYPED },
                chunk('shell', ({ all, inSitemap, everywhere }) => everywhere || (all >= 8 && inSitemap >= 3)),
                chunk('forms', ({ all, inSitemap }) => all >= 8 && inSitemap >= 2),
                chunk('editing', ({ all }) => all >= 20),
                { name: 'menu', test: /app\/cards\/(?:allergens|sections-of-cards)\./ },
              ],
            },
          },
        },
      },
    },
    // The whole server is one bundle, so that every module exists once. start.ts is what `npm start` runs; browser tests
    // and benchmarks compose a site from the other two.
    ssr: {
      // The bundle contains all packages but the production dependencies, so that it runs after `npm ci --omit=dev`.
      resolve: command === 'build' ? { noExternal: true, external: Object.keys(packageJson.dependencies) } : {},
      build: { rolldownOptions: { input: ['./server/start.ts', './server/dependencies.ts', './server/app.ts'] } },
    },
  },
}))
