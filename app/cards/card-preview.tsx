import { useEffect, useState } from 'react'
import { imageSources } from '../media/image.ts'
import { ResponsiveImage } from '../media/responsive-image.tsx'
import { formatAllergens } from './allergens.ts'
import { type CollectionName, isRequired, normalizeVideoUrl } from './card.ts'
import { CardArticle } from './card-article.tsx'
import type { CardValues } from './card-form-values.ts'
import styles from './card-preview.module.css'
import { readPrices, storePrices } from './typed-prices.ts'

export function CardPreview({ collection, values }: { collection: CollectionName; values: CardValues }) {
  const debounced = useDebounced(values)
  const image = imageSources(debounced.image) ? debounced.image : ''
  const card = previewCard(collection, { ...debounced, image })
  return (
    <section className={styles.preview} aria-labelledby="preview">
      <h2 id="preview">プレビュー</h2>
      <div inert>
        {collection === 'home' ? (
          <div className={styles.slide}>
            {image && <ResponsiveImage url={image} alt="" sizes="400px" />}
            <div className={styles.story} data-mincho>
              <p>{debounced.text1 || '1行目'}</p>
              <p>{debounced.text2}</p>
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

function previewCard(collection: CollectionName, values: CardValues) {
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
    price: storePrices(readPrices(values.price) ?? []),
    allergensConfirmed: values.allergensConfirmed === 'on',
    draft: values.draft === 'on',
    youtubeUrl: normalizeVideoUrl(values.youtubeUrl),
    title: values.title || 'タイトル',
    content: values.content || (isRequired('content', collection) ? '内容がここに入ります。' : ''),
  }
}

const DEBOUNCE_MS = 300

// The delay prevents loads of font subsets for the intermediate characters of kanji input.
function useDebounced<T>(value: T) {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return debounced
}
