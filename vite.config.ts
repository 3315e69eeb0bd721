import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { reactRouter } from '@react-router/dev/vite'
import { defineConfig, type Plugin } from 'vite'
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
  load: (id) => (id.endsWith('/dom/ssr/routeModules.js') ? "export * from '/app/platform/load-route-module.ts'" : null),
}

const DAYS = /app\/(?:hours\/(?:business-day|unbroken-times)|dates\/month)\.ts/

const SHELL = [
  'root.',
  'accounts/local-flags.',
  'cards/card-article.',
  'cards/card-grid.',
  'cards/edit-links.',
  'platform/remember-input.',
  'chrome/waiting.',
  'chrome/use-focus',
  'chrome/use-page',
  'chrome/use-new-day.',
  'platform/only',
  'chrome/page-meta.',
  'live/',
  'media/image.ts',
  'media/picture',
  'members/circle.',
  'pages/page-head',
  'forms/save-answer.',
  'forms/unanswered.',
  'ui/announce',
  'ui/characters.',
  'ui/icon',
  'ui/is-rendered.',
  'ui/is-composing.',
  'ui/button.',
  'ui/safe-link.',
  'ui/lazily.',
  'ui/letters.',
  'ui/needs-its-data.',
  'ui/notice.',
  'ui/page.module',
  'ui/page-title',
  'ui/until',
  'ui/warm',
  'ui/clock',
]
const gone = SHELL.filter((start) => globSync(`app/${start}*`).length === 0)
if (gone.length > 0) throw new Error(`Every page needs files that are not there: ${gone.join(', ')}`)

export default defineConfig({
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
          // Their only side effect at load is to create formatters, so unused ones can be dropped.
          treeshake: { moduleSideEffects: (id) => !DAYS.test(id) },
          output: {
            // One chunk with all that every page needs compresses better than twenty small ones.
            codeSplitting: {
              groups: [
                {
                  name: 'framework',
                  // Chunks include their imports, so this earlier one takes what every page needs of `days`.
                  test: /rolldown\/runtime|node_modules\/(?:react|react-dom|react-router|scheduler)\/|app\/(?:dates\/japan|platform\/(?:load-route-module|keep-asking|reach)|ui\/shared-value)\./,
                },
                { name: 'days', test: DAYS },
                {
                  name: 'shell',
                  test: (id: string) =>
                    /preload-helper|lucide\/dist\/esm\/icons\/x\./.test(id) ||
                    SHELL.some((start) => id.includes(`/app/${start}`)),
                },
              ],
            },
          },
        },
      },
    },
    // The whole server is one bundle, so that every module exists once. start.ts is what `npm start` runs; browser tests
    // and benchmarks compose a site from the other two.
    ssr: { build: { rolldownOptions: { input: ['./server/start.ts', './server/world.ts', './server/app.ts'] } } },
  },
})
