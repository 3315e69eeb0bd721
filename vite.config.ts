import { reactRouter } from '@react-router/dev/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [reactRouter()],
  build: {
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
          output: {
            // What every page needs, in one piece: it compresses better than twenty crumbs.
            codeSplitting: {
              groups: [
                { name: 'framework', test: /node_modules\/(?:react|react-dom|react-router|scheduler)\// },
                {
                  name: 'shell',
                  test: /lucide-react\/dist\/esm\/(?!icons|lucide)|icons\/x\.|app\/(?:accounts\/local-flags|members\/circle|site\/page-meta|ui\/(?:button\.module|letters|page\.module|page-title))/,
                },
                { name: 'live', test: /app\/(?:live\/|ui\/use-every-minute)/ },
                {
                  name: 'cards',
                  test: /icons\/pencil\.|app\/(?:content\/(?:card|edit-links|editing|safe-link)|media\/(?:image\.ts|picture))/,
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
