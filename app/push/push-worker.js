// The service worker for push notifications. It has no fetch handler, so pages load as without it.

// Browsers withdraw the permission if a push shows no notification, so an unreadable push shows a general one.
const GENERAL = { title: '新しいお知らせがあります', body: 'サイトを開いてご確認ください。', url: '/' }

self.addEventListener('push', (event) => {
  const { title, body, tag, url } = { ...GENERAL, ...readPayload(event.data) }
  // The digest of an unknown logo redirects to the current logo.
  const icon = '/seal/0000000000000000/icon-192.png'
  event.waitUntil(self.registration.showNotification(title, { body, tag, icon, lang: 'ja', data: { url } }))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(openPage(new URL(event.notification.data.url, location.origin).href))
})

function readPayload(data) {
  try {
    return data.json()
  } catch {
    return {}
  }
}

async function openPage(url) {
  const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const tab = tabs.find((tab) => tab.url === url) ?? tabs[0]
  if (!tab) return self.clients.openWindow(url)
  try {
    await tab.focus()
    if (tab.url !== url) await tab.navigate(url)
  } catch {
    // Browsers reject the navigation of a tab that was opened before the service worker.
    await self.clients.openWindow(url)
  }
}
