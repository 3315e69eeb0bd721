// Bundles Swiper and the modules that the site uses into one chunk, which loads after the page.
export { default as Swiper } from 'swiper'
export { Autoplay, EffectFade, Scrollbar } from 'swiper/modules'
