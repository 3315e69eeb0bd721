const systems: [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/CrOS/, 'Chromebook'],
  [/Mac OS X/, 'Mac'],
  [/Linux/, 'Linux'],
]
const browsers: [RegExp, string][] = [
  [/Edg/, 'Edge'],
  [/Firefox|FxiOS/, 'Firefox'],
  [/Chrome|CriOS/, 'Chrome'],
  [/Safari/, 'Safari'],
]

/** Returns, for example, iPhone・Safari. */
export function deviceName(userAgent: string | null) {
  const among = (names: [RegExp, string][]) => names.find(([says]) => says.test(userAgent ?? ''))?.[1]
  return [among(systems), among(browsers)].filter(Boolean).join('・') || '不明な端末'
}
