/** In the format of Vite's `build.target`. */
export const oldestBrowsers = { chrome: 111, edge: 111, firefox: 125, safari: 16.4, ios: 16.4 }
