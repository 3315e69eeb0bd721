/** Ends the push subscription of this browser by removing its service worker. */
export async function unregisterPush() {
  const registration = await navigator.serviceWorker?.getRegistration().catch(() => undefined)
  await registration?.unregister()
}
