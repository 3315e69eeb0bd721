import { type ConfigData, HtmlValidate, StaticConfigLoader } from 'html-validate'
import { expect, test } from 'vitest'
import { sampleSite } from './testing.ts'
import { crawl } from './testing-crawl.ts'

const rules: ConfigData = {
  extends: ['html-validate:standard', 'html-validate:a11y'],
  // The HTML standard requires `rel` on every link without `itemprop`, but html-validate does not.
  elements: ['html5', { link: { attributes: { rel: { required: true } } } }],
  // A fieldset with the role "none" only disables its fields, so it needs no legend.
  rules: { 'wcag/h71': 'off' },
}

/** Resolves the rules once, whereas the loader of html-validate resolves them again for every page. */
class ResolvedRules extends StaticConfigLoader {
  readonly #resolved = new StaticConfigLoader(rules).getConfigFor('page.html')

  override getConfigFor() {
    return this.#resolved
  }
}
const validator = new HtmlValidate(new ResolvedRules())

/** Paths to which no page for guests has a link. */
const unlinked = ['/home', '/today', '/bussinessdays', '/memberdetailconfirm', '/nowhere', '/logout', '/undo']
const people = ['guest', 'approved', 'manager'] as const

test.each(people)(
  'renders valid HTML on every page for %s, with a name for each group of fields and each string in one text node',
  async (person) => {
    const site = await sampleSite()
    await site.people()
    await site.staff()
    const pages = (await crawl(site, person, ['/', ...unlinked], { maxQueries: 4, maxIds: 2, withData: false })).filter(
      ({ html }) => html,
    )
    expect(pages.length).toBeGreaterThan(35)
    const messages = pages.map(async ({ url, html }) => {
      const { results } = await validator.validateString(html)
      return results.flatMap(({ messages }) => messages).map(({ ruleId, message }) => `${url} ${ruleId} ${message}`)
    })
    expect((await Promise.all(messages)).flat()).toEqual([])
    // Fieldsets with the role "none" are no groups of fields.
    const groupsWithoutName = pages.flatMap(({ url, html }) =>
      html
        .match(/<fieldset(?![^>]*(?:role="none"|aria-label))[^>]*>(?!<legend[^>]*>(?!\s*<\/legend>)).{0,40}/g)
        ?.map((excerpt) => `${url} ${excerpt}`),
    )
    expect(groupsWithoutName.filter(Boolean)).toEqual([])
    if (person === 'manager') expect(pages.filter(({ html }) => html.includes('<legend')).length).toBeGreaterThan(5)
    // React separates adjacent text nodes by a comment. Page translators replace these nodes, and React would then update
    // the detached nodes.
    const splitStrings = pages.flatMap(({ url, html }) =>
      [...html.matchAll(/<!-- -->/g)].map(({ index }) => `${url} ${html.slice(Math.max(0, index - 40), index + 48)}`),
    )
    expect(splitStrings).toEqual([])
  },
)

test('renders each title and each line of the story only once', async () => {
  const { as } = await sampleSite()
  const textOf = async (path: string) => {
    const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(await (await as('guest', path)).text()) ?? []
    return main.replace(/<[^>]*>/g, '')
  }
  expect((await textOf('/municipalarchitect')).split('建築に関するさまざまな課題を解決するしくみづくり')).toHaveLength(
    2,
  )
  const home = await textOf('/')
  for (const line of ['たくさんの人の', '東京の三つ星の店で', '目には見えない手間が'])
    expect(home.split(line)).toHaveLength(2)
})

test.each([
  ['/', '/home'],
  ['/home', '/home'],
  ['/dining', '/dining'],
  ['/calendar', '/calendar'],
  ['/mail', undefined],
])('marks only the link to the page %s as current in the navigation', async (path, current) => {
  const { text } = await sampleSite()
  const [navigation = ''] = /<nav[^>]*aria-label="主なページ".*?<\/nav>/s.exec(await text(path)) ?? []
  const links = [...navigation.matchAll(/<a\b([^>]*)>/g)].map(([, attributes = '']) => attributes)
  expect(links.length).toBeGreaterThan(4)
  const marked = links.filter((link) => link.includes('aria-current="page"'))
  expect(marked.map((link) => /href="([^"]*)"/.exec(link)?.[1])).toEqual(current ? [current] : [])
})
