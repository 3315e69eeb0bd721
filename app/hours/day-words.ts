/** Labels of the shop's own text on a special day, and maximum lengths in characters. */
export const CAUSE = '詳しい理由'
export const NOTE = 'お客さまへの一文'
export const MAX_CAUSE = 20
export const MAX_NOTE = 60
