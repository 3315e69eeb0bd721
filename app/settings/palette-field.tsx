import { NewerValue, type SettingsState } from '../forms/settings-form.tsx'
import { type PaletteName, paletteNames, palettes } from '../ui/palettes.ts'
import styles from './site-fields.module.css'

export function PaletteField({ values, errors, newer }: SettingsState) {
  return (
    <fieldset className={styles.palettes} aria-describedby="palettes-hint">
      <legend>色</legend>
      <p id="palettes-hint" className={styles.hint}>
        印とボタンの色です。背景の色合いと、サイトのアイコンも合わせて変わります。
      </p>
      <div className={styles.choices}>
        {paletteNames.map((name) => (
          <label key={name} data-palette={name}>
            <input type="radio" name="palette" value={name} defaultChecked={values.palette === name} />
            <span className={styles.swatch} aria-hidden="true" />
            {palettes[name].name}
          </label>
        ))}
      </div>
      {errors?.palette && <p className={styles.error}>{errors.palette.join(' ')}</p>}
      <NewerValue name="palette" newer={newer} now={(now) => palettes[now.palette as PaletteName]?.name} />
    </fieldset>
  )
}
