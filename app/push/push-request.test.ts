import { createECDH } from 'node:crypto'
import { expect, test } from 'vitest'
import { vapidKeys } from './push-request.server.ts'
import { decrypt } from './testing-push-service.ts'

const secret = 'the secret of the tests, of no use anywhere else'

test('derives the same keys from the same secret, and other keys from another secret', () => {
  const { publicKey } = vapidKeys(secret)
  expect(publicKey).toMatch(/^B[\w-]{86}$/)
  expect(vapidKeys(secret).publicKey).toBe(publicKey)
  expect(vapidKeys(`${secret}!`).publicKey).not.toBe(publicKey)
})

// The test decrypts the messages of the site with the same function.
test('decrypts the example of RFC 8291', () => {
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94', 'base64url')
  const auth = Buffer.from('BTBZMqHH6r4Tts7J_aSIgg', 'base64url')
  const body = [
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tlz',
    'AC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  ]
  expect(decrypt(Buffer.from(body.join(''), 'base64url'), { ecdh, auth })).toBe(
    'When I grow up, I want to be a watermelon',
  )
})
