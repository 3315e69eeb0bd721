import { useState } from 'react'
import { useHref, useSearchParams } from 'react-router'
import type { Card } from '../cards/card.ts'
import { t } from '../languages/language.ts'
import button from '../ui/button.module.css'
import { offeredExclusions, remains } from './menu.ts'
import styles from './menu-filter.module.css'

type Filter = ReturnType<typeof useFilter>

/** Returns what a guest excludes from the menu. The choice is in the parameter `without` of the address. */
export function useFilter(dishes: Card[]) {
  const [params] = useSearchParams()
  const [without, setWithout] = useState(() => params.getAll('without'))
  const offered = offeredExclusions(dishes)
  const chosen = without.filter((name) => offered.includes(name))
  const count = (answer: string) => dishes.filter((dish) => remains(dish, chosen) === answer).length
  return {
    offered,
    chosen,
    isShown: (dish: Card) => remains(dish, chosen) !== 'no',
    total: dishes.length,
    hidden: count('no'),
    unconfirmed: count('unconfirmed'),
    choose(names: string[]) {
      setWithout(names)
      const url = new URL(location.href)
      url.searchParams.delete('without')
      for (const name of names) url.searchParams.append('without', name)
      // A navigation of the router would load the page's data again.
      history.replaceState(history.state, '', url)
    },
  }
}

export function MenuFilter({ offered, chosen, total, hidden, unconfirmed, choose }: Filter) {
  const href = useHref('/dining')
  return (
    <details className={styles.filter} open={chosen.length > 0}>
      <summary>{t('食べられないものを除く')}</summary>
      <form>
        <fieldset>
          <legend>{t('除くもの')}</legend>
          {offered.map((name) => (
            <label key={name}>
              <input
                type="checkbox"
                name="without"
                value={name}
                checked={chosen.includes(name)}
                onChange={({ target }) =>
                  choose(target.checked ? [...chosen, name] : chosen.filter((each) => each !== name))
                }
              />
              {t(name)}
            </label>
          ))}
        </fieldset>
        <noscript>
          <button type="submit" className={button.button}>
            {t('除いて表示する')}
          </button>
        </noscript>
        <div className={styles.result}>
          <div role="status">
            {chosen.length > 0 && <p>{t('全{count}品のうち、{hidden}品を除いています。', { count: total, hidden })}</p>}
            {unconfirmed > 0 && (
              <p>
                {t(
                  '残りのうち{count}品は、お選びのものを使っていないことを確認できていません。アレルギーのある方は、ご注文の前にスタッフにお尋ねください。',
                  { count: unconfirmed },
                )}
              </p>
            )}
          </div>
          {chosen.length > 0 && (
            <a
              href={href}
              className={button.button}
              onClick={(event) => {
                event.preventDefault()
                choose([])
              }}
            >
              {t('すべて表示する')}
            </a>
          )}
        </div>
      </form>
    </details>
  )
}
