/** What the shop's words on a special day are called, and how many characters they may have. */
export const CAUSE = 'くわしい理由'
export const NOTE = 'お客さまへの一文'
export const MAX_CAUSE = 20
export const MAX_NOTE = 60
