/**
 * Whether a browser's endpoint is at one of the push services, in which `*.` stands for any subdomains. Otherwise a
 * forged endpoint would make the server send requests into its own network.
 */
export function isPushService(endpoint: string, services: readonly string[]) {
  const url = URL.parse(endpoint)
  if (!url || url.username || url.password) return false
  return services.some((service) => {
    const [scheme = '', domain] = service.split('*')
    return domain === undefined ? url.origin === service : url.origin.startsWith(scheme) && url.origin.endsWith(domain)
  })
}
