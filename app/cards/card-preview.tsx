import { useEffect, useState } from 'react'
import { imageSources } from '../media/image.ts'
import { Picture } from '../media/image-element.tsx'
import { normalizeVideoUrl } from '../media/video.ts'
import { formatAllergens } from './allergens.ts'
import { type CollectionName, isRequired, yenFrom } from './card.ts'
import { CardArticle } from './card-article.tsx'
import styles from './card-preview.module.css'
import type { Values } from './card-values.ts'

export function CardPreview({ collection, values }: { collection: CollectionName; values: Values }) {
  const settled = useSettled(values)
  const image = imageSources(settled.image) ? settled.image : ''
  const card = cardOf(collection, { ...settled, image })
  return (
    <section className={styles.preview} aria-labelledby="preview">
      <h2 id="preview">プレビュー</h2>
      <div inert>
        {collection === 'home' ? (
          <div className={styles.slide}>
            {image && <Picture url={image} alt="" sizes="400px" />}
            <div className={styles.story} data-mincho>
              <p>{settled.text1 || '1行目'}</p>
              <p>{settled.text2}</p>
            </div>
          </div>
        ) : (
          <ul className={styles.card}>
            <CardArticle
              item={card}
              sizes="400px"
              {...(collection === 'dining' && { allergens: formatAllergens(card) })}
            />
          </ul>
        )}
      </div>
    </section>
  )
}

function cardOf(collection: CollectionName, values: Values) {
  return {
    ...values,
    id: 'preview',
    collection,
    version: 0,
    createdAt: '',
    updatedAt: '',
    soldOutAt: null,
    order: null,
    eventDay: values.eventDay || null,
    price: priceOf(values.price),
    allergensConfirmed: values.allergensConfirmed === 'on',
    draft: values.draft === 'on',
    youtubeUrl: normalizeVideoUrl(values.youtubeUrl),
    title: values.title || 'タイトル',
    content: values.content || (isRequired('content', collection) ? '内容がここに入ります。' : ''),
  }
}

function priceOf(typed: string) {
  const yen = yenFrom(typed)
  return typeof yen === 'number' && !Number.isNaN(yen) ? yen : null
}

const STILL_TYPING_MS = 300

// A heading loads the font subsets of its characters, so intermediate characters of kanji input must not trigger loads.
function useSettled<T>(value: T) {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), STILL_TYPING_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
