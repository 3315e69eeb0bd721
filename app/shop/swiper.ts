// One chunk for Swiper and the modules in use, loaded after the page.
export { default as Swiper } from 'swiper'
export { Autoplay, EffectFade, Scrollbar } from 'swiper/modules'
