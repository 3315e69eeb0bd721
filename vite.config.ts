import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { reactRouter } from '@react-router/dev/vite'
import { defineConfig, type Plugin } from 'vite'
import { oldestBrowsers } from './scripts/oldest-browsers.ts'

// Vite has each part that is loaded later fetch its stylesheet first. There is one, and it stands in every page.
const withoutStylesheets: Plugin = {
  name: 'parts-without-stylesheets',
  enforce: 'pre',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'client',
  load: (id) => (id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load()' : null),
}

// The router reloads the document if a route's script does not come; ours waits.
const waitingForScripts: Plugin = {
  name: 'routes-that-wait',
  enforce: 'pre',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'client',
  load: (id) => (id.endsWith('/dom/ssr/routeModules.js') ? "export * from '/app/platform/load-route-module.ts'" : null),
}

const DAYS = /app\/(?:hours\/(?:business-day|unbroken-times)|dates\/month)\.ts/

// What the files begin with that every page needs.
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
    // Who looks at an element reads which file its style is in; a hash in its place would also be longer.
    modules: { generateScopedName: (name, file) => `${basename(file, '.module.css')}_${name}` },
  },
  build: {
    target: Object.entries(oldestBrowsers).map(([name, version]) => `${name}${version}`),
    // data: URLs are refused by the content security policy
    assetsInlineLimit: 0,
    // one stylesheet for the site; the server puts it into every document
    cssCodeSplit: false,
    // React Router names what a page needs; 1 KB of a helper for the rest would be on every page.
    modulePreload: false,
  },
  environments: {
    client: {
      build: {
        rolldownOptions: {
          // They make their formats when they are loaded, and nobody needs to load them for that.
          treeshake: { moduleSideEffects: (id) => !DAYS.test(id) },
          output: {
            // What every page needs, in one piece: it compresses better than twenty crumbs.
            codeSplitting: {
              groups: [
                {
                  name: 'framework',
                  // A piece takes along what its modules import: what every page needs of the days comes first.
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
    // The server is part of the bundle, so that the typed context keys exist once.
    ssr: { build: { rolldownOptions: { input: './server/app.ts' } } },
  },
})
