import { pathToFileURL } from 'node:url'

const script = pathToFileURL(`${import.meta.dirname}/google-stand-in.mjs`)

/** Returns environment variables that make a site use the OpenID provider at `discoveryUrl` instead of Google. */
export function googleAt(discoveryUrl: string, { clientId, clientSecret }: { clientId: string; clientSecret: string }) {
  return {
    GOOGLE_CLIENT_ID: clientId,
    GOOGLE_CLIENT_SECRET: clientSecret,
    GOOGLE_STAND_IN: discoveryUrl,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${script}`,
  }
}
