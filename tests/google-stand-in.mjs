// Preload script of a site (--import): redirects requests for Google's discovery document to GOOGLE_STAND_IN.
const { fetch } = globalThis
const discovery = 'https://accounts.google.com/.well-known/openid-configuration'
globalThis.fetch = (input, init) => fetch(input === discovery ? process.env.GOOGLE_STAND_IN : input, init)
