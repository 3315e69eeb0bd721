// Preload script (--import) that redirects the site's requests for Google's discovery document to the URL in
// GOOGLE_STAND_IN.
const { fetch } = globalThis
const discovery = 'https://accounts.google.com/.well-known/openid-configuration'
globalThis.fetch = (input, init) => fetch(input === discovery ? process.env.GOOGLE_STAND_IN : input, init)
