// Swiper, and what the sliders of this site use of it: one script, which comes after the page.
export { default as Swiper } from 'swiper'
export { Autoplay, EffectFade, Scrollbar } from 'swiper/modules'
