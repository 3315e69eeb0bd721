import styles from './drawn-streets.module.css'

const STREETS = [
  'M-40 78 L840 8',
  'M-40 262 L840 196',
  'M-40 452 L840 398',
  'M-40 622 L840 580',
  'M96 -40 L150 640',
  'M382 -40 L424 640',
  'M640 -40 L688 640',
]
const ALLEYS = ['M118 168 L400 148', 'M262 240 L282 436', 'M522 220 L534 420', 'M654 306 L840 294', 'M410 508 L690 492']
const TREES = [
  [206, 108],
  [226, 126],
  [188, 130],
  [742, 86],
  [764, 102],
  [742, 112],
  [66, 360],
  [58, 382],
  [590, 470],
  [606, 452],
]
const WAY = 'M60 618 L148 612 L136 446 L408 424 L392 226'

export function DrawnStreets() {
  return (
    <svg className={styles.ground} viewBox="0 80 800 520" preserveAspectRatio="xMidYMin slice" aria-hidden="true">
      <path className={styles.edge} d={STREETS.join('')} />
      <path className={styles.alleyEdge} d={ALLEYS.join('')} />
      <path className={styles.street} d={STREETS.join('')} />
      <path className={styles.alley} d={ALLEYS.join('')} />
      {TREES.map(([x, y]) => (
        <circle key={`${x} ${y}`} className={styles.tree} cx={x} cy={y} r={11} />
      ))}
      <path className={styles.way} d={WAY} />
      <path
        className={styles.pin}
        d="M392 232 C372 198 352 184 352 156 A40 40 0 0 1 432 156 C432 184 412 198 392 232 Z"
      />
      <circle className={styles.eye} cx={392} cy={156} r={15} />
    </svg>
  )
}
