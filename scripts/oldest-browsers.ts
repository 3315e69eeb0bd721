/** The oldest supported versions of the browsers, as Vite's `build.target` names them. */
export const oldestBrowsers = { chrome: 111, edge: 111, firefox: 125, safari: 16.4, ios: 16.4 }
