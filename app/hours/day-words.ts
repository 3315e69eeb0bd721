/** The names of the shop's words on a special day, and their longest lengths in characters. */
export const CAUSE = 'くわしい理由'
export const NOTE = 'お客さまへの一文'
export const MAX_CAUSE = 20
export const MAX_NOTE = 60
