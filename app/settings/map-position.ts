import { foldWidth } from '../ui/typed-text.ts'

/** Parses a latitude and a longitude in degrees, as map apps copy them. Returns null for other text. */
export function parseMapPosition(typed: string) {
  const [, latitude, longitude] = /^\(?(-?\d+(?:\.\d+)?)\s*[,、\s]\s*(-?\d+(?:\.\d+)?)\)?$/.exec(foldWidth(typed)) ?? []
  const position = { latitude: Number(latitude), longitude: Number(longitude) }
  return Math.abs(position.latitude) <= 90 && Math.abs(position.longitude) <= 180 ? position : null
}
