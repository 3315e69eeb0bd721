import { reactRouter } from '@react-router/dev/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [reactRouter()],
  build: {
    // data: URLs are refused by the content security policy
    assetsInlineLimit: 0,
    // one stylesheet for the site; the server puts it into every document
    cssCodeSplit: false,
  },
  environments: {
    client: {
      build: {
        rolldownOptions: {
          output: {
            // What every page needs, in one piece: it compresses better than twenty crumbs.
            codeSplitting: {
              groups: [{ name: 'framework', test: /node_modules\/(?:react|react-dom|react-router|scheduler)\// }],
            },
          },
        },
      },
    },
    // The server is part of the bundle, so that the typed context keys exist once.
    ssr: { build: { rolldownOptions: { input: './server/app.ts' } } },
  },
})
