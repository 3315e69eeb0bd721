/** Texts without a visible character, by kind. */
export const blankTexts = {
  spaces: ' \u3000\u00a0\u2003',
  'zero-width spaces': '\u200b\u200c\u200d\ufeff',
  'a soft hyphen and word joiners': '\u00ad\u2060\u2061\u2064',
  'a braille blank': '\u2800\u2800',
  'fillers of Hangul': '\u3164\u115f\u1160\uffa0',
  'marks of direction': '\u200e\u200f\u061c\u202a\u202c\u2066\u2069',
  'variation selectors': '\ufe0f\ufe00\u{e0100}',
  'tags and joiners of other scripts': '\u{e0041}\u034f\u180e\u17b4',
  'notes that are not drawn': '\u{1d159}\u{1d173}',
}
